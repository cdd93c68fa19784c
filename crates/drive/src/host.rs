//! The driver's machine and its time of day.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use hoap_record::Host;

/// The machine that the driver runs on. A value that the machine does not provide is "unknown" or
/// 0.
pub fn host() -> Host {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    Host {
        system: system(&read("/etc/os-release"), &read("/proc/sys/kernel/osrelease")),
        processor: field(&read("/proc/cpuinfo"), "model name", ':')
            .unwrap_or_else(|| "unknown".into()),
        cores: std::thread::available_parallelism().map_or(1, |n| n.get()),
        memory_bytes: kibibytes(&read("/proc/meminfo"), "MemTotal").unwrap_or(0),
        settings: settings(),
    }
}

/// What else decides how fast the machine is, as far as it tells.
fn settings() -> BTreeMap<String, String> {
    let read = |path: &str| fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let recorded =
        read("/proc/stat").is_none().then(|| "none: this system has no /proc".to_owned());
    let nodes = fs::read_dir("/sys/devices/system/node").ok().map(|nodes| {
        let names = nodes.filter_map(|node| node.ok()?.file_name().into_string().ok());
        let node = |name: &str| name.strip_prefix("node").is_some_and(|n| n.parse::<u16>().is_ok());
        names.filter(|name| node(name)).count().to_string()
    });
    let memory = control_group("memory.max").and_then(|text| text.trim().parse::<u64>().ok());
    let all = [
        ("machine.csv", recorded),
        ("CPU governor", read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
        (
            "transparent huge pages",
            read("/sys/kernel/mm/transparent_hugepage/enabled").and_then(|text| chosen(&text)),
        ),
        ("NUMA nodes", nodes),
        (
            "usable cores",
            field(&read("/proc/self/status").unwrap_or_default(), "Cpus_allowed_list", ':'),
        ),
        ("CPU limit", control_group("cpu.max").and_then(|text| cpu_limit(&text))),
        ("memory limit", memory.map(|bytes| format!("{bytes} bytes"))),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// The word in brackets of "always [madvise] never".
fn chosen(text: &str) -> Option<String> {
    Some(text.split_once('[')?.1.split_once(']')?.0.to_owned())
}

/// The limit of `cpu.max`, such as "150000 100000": what may be used in what period. "max" is none.
fn cpu_limit(text: &str) -> Option<String> {
    let (quota, period) = text.trim().split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (period > 0.0).then(|| format!("{:.2} cores", quota / period))
}

/// Memory that this process may still take without swapping, bytes: what the machine has available,
/// within the limit of the control group. `None` where the machine does not say.
pub fn available_memory() -> Option<u64> {
    let read = |path: String| fs::read_to_string(path).unwrap_or_default();
    let machine = kibibytes(&read("/proc/meminfo".into()), "MemAvailable")?;
    let of_group = |name| control_group(name)?.trim().parse::<u64>().ok();
    let left = of_group("memory.max")
        .zip(of_group("memory.current"))
        .map(|(max, now)| max.saturating_sub(now));
    Some(left.map_or(machine, |left| left.min(machine)))
}

/// How long a CPU limit has held this process and those in its control group back, in all. `None`
/// where the machine does not say.
pub fn held_back() -> Option<Duration> {
    throttled(&control_group("cpu.stat")?)
}

/// The time in a text of `cpu.stat`, which has it where there is a limit.
fn throttled(stat: &str) -> Option<Duration> {
    let time = stat.lines().find_map(|line| line.strip_prefix("throttled_usec "))?;
    time.trim().parse().ok().map(Duration::from_micros)
}

/// A file of this process's control group (version 2).
fn control_group(name: &str) -> Option<String> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    fs::read_to_string(format!("/sys/fs/cgroup{}/{name}", group.trim_end_matches('/'))).ok()
}

/// A line of `/proc/meminfo`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let kibibytes: u64 = field(text, name, ':')?.strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// The time of day, UTC, as RFC 3339.
pub fn now() -> String {
    hoap_record::time::now().to_string()
}

/// A name such as "Debian GNU/Linux 12 (bookworm), Linux 6.1.0, x86_64".
fn system(os_release: &str, kernel: &str) -> String {
    let mut parts = Vec::new();
    parts.extend(field(os_release, "PRETTY_NAME", '='));
    match kernel.trim() {
        "" => parts.push(std::env::consts::OS.into()),
        version => parts.push(format!("Linux {version}")),
    }
    parts.push(std::env::consts::ARCH.into());
    parts.join(", ")
}

/// The value of the first line `name<separator>value`, without quotation marks.
fn field(text: &str, name: &str, separator: char) -> Option<String> {
    text.lines()
        .filter_map(|line| line.split_once(separator))
        .find(|(key, _)| key.trim() == name)
        .map(|(_, value)| value.trim().trim_matches('"').to_owned())
        .filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_is_named_from_the_files_of_the_machine() {
        let release = "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n";
        let arch = std::env::consts::ARCH;
        assert_eq!(system(release, "6.1.0\n"), format!("Debian GNU/Linux 12, Linux 6.1.0, {arch}"));
        assert_eq!(system("", ""), format!("{}, {arch}", std::env::consts::OS));
        assert_eq!(
            field("MemTotal:   16 kB\nMemFree: 1 kB", "MemTotal", ':').as_deref(),
            Some("16 kB")
        );
        assert_eq!(field("model name\t:\n", "model name", ':'), None);
    }

    #[test]
    fn settings_are_read_from_the_kernels_words() {
        assert_eq!(chosen("always [madvise] never\n").as_deref(), Some("madvise"));
        assert_eq!(chosen("always"), None);
        assert_eq!(cpu_limit("150000 100000\n").as_deref(), Some("1.50 cores"));
        assert_eq!((cpu_limit("max 100000"), cpu_limit("1 0"), cpu_limit("")), (None, None, None));
    }

    #[test]
    fn the_time_that_a_limit_held_the_driver_back_is_read() {
        let stat = "usage_usec 903\nnr_periods 40\nnr_throttled 12\nthrottled_usec 1250000\n";
        assert_eq!(throttled(stat), Some(Duration::from_millis(1250)));
        for none in ["", "usage_usec 903\n", "throttled_usec \n", "throttled_usec -1\n"] {
            assert_eq!(throttled(none), None, "{none:?}");
        }
    }

    #[test]
    fn a_host_has_a_core_and_a_name_and_now_is_utc() {
        let host = host();
        assert!(host.cores >= 1);
        assert!(!host.system.is_empty() && !host.processor.is_empty());
        assert!(host.settings.contains_key("usable cores"), "{:?}", host.settings);
        assert!(!host.settings.contains_key("machine.csv"), "this machine tells");
        let available = available_memory().unwrap();
        assert!(available > 0 && available <= host.memory_bytes);
        assert!(now().ends_with('Z') && now().parse::<jiff::Timestamp>().is_ok());
    }
}
