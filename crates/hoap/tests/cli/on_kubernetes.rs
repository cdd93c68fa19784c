//! `deploy/kubernetes` as it is applied, on the Kubernetes of the lab, which has one node and no
//! DNS.

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::Place;
use super::on_slurm::that_hold;

/// The address of the node in the lab's namespace, where pods find the database.
const NODE: &str = "10.77.0.1";
const PASSWORD: &str = "a-password-of-this-test";

/// The lab's Kubernetes with a Redis beside it. What was applied ends with it.
struct Cluster {
    p: Place,
    /// The program of the lab that enters the namespaces.
    enter: String,
    redis: Child,
}

impl Cluster {
    fn new() -> Cluster {
        let p = Place::new();
        let enter = std::env::var("HOAP_TEST_KUBERNETES")
            .expect("HOAP_TEST_KUBERNETES: lab/up kubernetes, then eval \"$(lab/env)\"");
        let redis = ["redis-server", "--bind", NODE, "--save", "", "--requirepass", PASSWORD];
        let redis = Command::new(&enter)
            .args(redis)
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server, which Debian's package of this name has");
        let cluster = Cluster { p, enter, redis };
        cluster.remove();
        let program = env!("CARGO_BIN_EXE_hoap");
        let made = cluster.enter(&["image", "hoap", program]);
        assert!(made.status.success(), "{}", said(&made));
        cluster
    }

    fn enter(&self, words: &[&str]) -> Output {
        let mut command = Command::new(&self.enter);
        command.args(words).stdin(Stdio::null()).output().unwrap()
    }

    fn kubectl(&self, words: &str) -> String {
        let done = self.enter(&[&["kubectl"], &*words.split(' ').collect::<Vec<_>>()].concat());
        assert!(done.status.success(), "kubectl {words}: {}", said(&done));
        String::from_utf8(done.stdout).unwrap()
    }

    /// What the docs have made before: the Secret, with a token of this run.
    fn secret(&self) -> String {
        let at = |name: &str| self.p.path(name).display().to_string();
        let url = format!("redis://:{PASSWORD}@{NODE}:6379");
        self.p.write("hoap.toml", &format!("target = \"{url}\"\noperational = \"{url}\"\n"));
        let token = format!("token-of-a-test-{}", std::process::id());
        self.p.write("token", &token);
        let words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
                     -subj /CN=hoap -addext subjectAltName=DNS:hoap-gather \
                     -addext basicConstraints=critical,CA:FALSE -keyout";
        let certificate = Command::new("openssl")
            .args(words.split_whitespace())
            .args([at("gather.key"), "-out".to_owned(), at("gather.pem")])
            .output()
            .unwrap();
        assert!(certificate.status.success(), "{}", said(&certificate));
        let files = ["hoap.toml", "token", "gather.pem", "gather.key"];
        let files = files.map(|name| format!("--from-file={}", at(name))).join(" ");
        self.kubectl(&format!("create secret generic hoap {files}"));
        token
    }

    fn apply(&self, name: &str, objects: &str) {
        self.p.write(name, objects);
        self.kubectl(&format!("apply -f {}", self.p.path(name).display()));
    }

    /// Applies run.yaml, with this duration. As there is no DNS, the drivers' pods get the address
    /// of the other one in their hosts file.
    fn run(&self, duration: &str) {
        let objects = for_the_lab("run.yaml");
        let objects = replaced(&objects, "            - 15s", &format!("            - {duration}"));
        let (gather, drivers) = objects.rsplit_once("\n---\n").unwrap();
        self.apply("gather.yaml", gather);
        self.kubectl("wait --for=condition=Ready --timeout=60s pod/hoap-gather");
        let address = self.kubectl("get pod hoap-gather -o jsonpath={.status.podIP}");
        let hosts = format!(
            "    spec:\n      hostAliases: [{{ip: {address}, hostnames: [hoap-gather]}}]\n"
        );
        self.apply(
            "drivers.yaml",
            &replaced(drivers, "    spec:\n      restart", &(hosts + "      restart")),
        );
    }

    /// Waits for the end of `gather`. Its exit code, and what it said.
    fn end(&self) -> (String, String) {
        let field = "{.status.containerStatuses[?(@.name==\"gather\")].state.terminated.exitCode}";
        let code = until("the end of gather", || {
            let code = self.kubectl(&format!("get pod hoap-gather -o jsonpath={field}"));
            (!code.is_empty()).then_some(code)
        });
        (code, self.kubectl("logs hoap-gather -c gather"))
    }

    fn remove(&self) {
        let all = "delete --ignore-not-found --grace-period=1 --timeout=60s \
                   job/hoap job/hoap-load pod/hoap-gather svc/hoap-gather secret/hoap";
        let words: Vec<&str> = ["kubectl"].into_iter().chain(all.split_whitespace()).collect();
        self.enter(&words);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.remove();
        let _ = self.redis.kill();
        let _ = self.redis.wait();
    }
}

fn said(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// A text in which `old`, which is there, is `new`.
fn replaced(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "no {old:?} in {text}");
    text.replace(old, new)
}

/// A file of `deploy/kubernetes` for one node with two CPUs, whose image comes from no registry.
fn for_the_lab(name: &str) -> String {
    let path = format!("{}/../../deploy/kubernetes/{name}", env!("CARGO_MANIFEST_DIR"));
    let mut text = std::fs::read_to_string(path).unwrap();
    let image = "image: docker.io/library/hoap:lab";
    text = replaced(&text, "image: hoap:0.1.0", image);
    text = text
        .lines()
        .map(|line| match line.strip_suffix(image) {
            Some(indent) => format!("{line}\n{indent}imagePullPolicy: Never\n"),
            None => format!("{line}\n"),
        })
        .collect();
    for cpu in ["cpu: \"1\"", "cpu: \"2\"", "cpu: 500m"] {
        text = text.replace(cpu, "cpu: 200m");
    }
    text = text.replace("memory: 1Gi", "memory: 256Mi").replace("minDomains: 4", "minDomains: 1");
    replaced(&text, "recordcount=20000", "recordcount=400")
}

/// Waits until something is there.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{what} does not come");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// The process of the driver in the pod with this index.
fn driver(index: usize) -> Option<String> {
    let all = std::fs::read_dir("/proc").unwrap().map_while(Result::ok);
    all.map(|process| process.path()).find_map(|process| {
        let read = |name| std::fs::read(process.join(name)).unwrap_or_default();
        let (words, environment) = (read("cmdline"), read("environ"));
        let is = |bytes: &[u8], line: &str| bytes.split(|b| *b == 0).any(|l| l == line.as_bytes());
        let ours = is(&words, "hoap-gather:7117")
            && is(&environment, &format!("JOB_COMPLETION_INDEX={index}"));
        ours.then(|| process.file_name().unwrap().to_string_lossy().into_owned())
    })
}

#[test]
fn four_pods_load_and_run_and_who_is_killed_is_named() {
    let cluster = Cluster::new();
    let token = cluster.secret();
    cluster.apply("load.yaml", &for_the_lab("load.yaml"));
    cluster.kubectl("wait --for=condition=Complete --timeout=120s job/hoap-load");

    cluster.run("2s");
    let (code, said) = cluster.end();
    assert_eq!(code, "0", "{said}");
    let runs = cluster.p.path("runs");
    cluster.kubectl(&format!("cp hoap-gather:/runs {} -c keep", runs.display()));
    let whole = cluster.p.json("runs/run/run.json");
    assert_eq!(whole["configuration"]["part"], serde_json::json!(["1/4", "2/4", "3/4", "4/4"]));
    assert_eq!(whole["configuration"]["part-from"], "JOB_COMPLETION_INDEX");
    assert_eq!(whole["steps"][0]["tx_clients"], 8);
    assert!(whole["steps"][0]["start_skew_seconds"].as_f64().is_some_and(|skew| skew < 0.25));
    let checks = whole["checks"].as_array().unwrap();
    assert!(checks.iter().all(|check| check["verdict"] == "pass"), "{checks:#?}");
    assert!(checks.iter().any(|check| check["name"] == "nothing lost: writes"), "{checks:#?}");
    assert!(!that_hold("recordcount", &runs).is_empty(), "nothing was searched");
    for secret in [PASSWORD, &*token] {
        assert_eq!(that_hold(secret, &runs), Vec::<PathBuf>::new());
        assert!(!said.contains(secret), "{said}");
    }

    // The third is killed while it measures.
    cluster
        .kubectl("delete --grace-period=1 --timeout=60s job/hoap pod/hoap-gather svc/hoap-gather");
    cluster.run("10m");
    until("step 1", || {
        cluster.kubectl("logs hoap-gather -c gather").contains("step 1").then_some(())
    });
    let process = driver(2).expect("the third driver");
    assert!(Command::new("kill").args(["-KILL", &process]).status().unwrap().success());
    let (code, said) = cluster.end();
    assert_eq!(code, "1", "{said}");
    assert!(said.contains("part 3/4 is gone"), "{said}");
    cluster.kubectl("wait --for=condition=Failed --timeout=60s job/hoap");
}
