//! What rests on the driver and the runtime as they are: a newer one of either must pass this.

use std::future::{pending, ready};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use super::*;

/// A cluster of one node, which answers each so-many-th GET as if its slot had moved.
fn moving(every: usize) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || serve(stream, port, every));
        }
    });
    port
}

/// Serves a connection until it ends.
fn serve(mut stream: TcpStream, port: u16, every: usize) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut requests = BufReader::new(stream.try_clone().ok()?);
    let mut line = || {
        let mut line = String::new();
        (requests.read_line(&mut line).ok()? > 0).then(|| line.trim_end().to_owned())
    };
    let mut asked = 0;
    loop {
        let count: usize = line()?.strip_prefix('*')?.parse().ok()?;
        let words: Option<Vec<String>> = (0..count).map(|_| line().and_then(|_| line())).collect();
        let answer = match &*words?[0] {
            "CLUSTER" => {
                format!("*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:{port}\r\n")
            }
            "GET" => {
                asked += 1;
                match asked % every {
                    0 => format!("-MOVED 0 127.0.0.1:{port}\r\n"),
                    _ => "$1\r\nx\r\n".to_owned(),
                }
            }
            _ => "+OK\r\n".to_owned(),
        };
        stream.write_all(answer.as_bytes()).ok()?;
    }
}

/// Were [`UNDER_WAY`] too many for a turn of the runtime, the driver would stop for good.
#[test]
fn the_driver_goes_on_when_slots_move_under_as_many_commands_as_are_let_through() {
    let port = moving(7);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = ClusterClient::new([format!("redis://127.0.0.1:{port}")]).unwrap();
        let nodes = ToNodes::new(client.get_async_connection().await.unwrap());
        for round in 0..30 {
            let commands = (0..10 * UNDER_WAY).map(|n| {
                let mut get = redis::cmd("GET");
                get.arg(n);
                get
            });
            let answers = nodes.send_all(commands.collect());
            let answers = tokio::time::timeout(Duration::from_secs(20), answers).await;
            let answers = answers.unwrap_or_else(|_| panic!("it stopped in round {round}"));
            assert_eq!(answers.unwrap().len(), 10 * UNDER_WAY);
        }
    });
}

/// A server that ends each connection once it has answered the two commands that begin one.
fn leaving() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut requests = BufReader::new(stream.try_clone().unwrap()).lines();
            for _ in 0..2 {
                requests.find(|line| line.as_ref().is_ok_and(|line| line == "SETINFO"));
            }
            let _ = stream.write_all(b"+OK\r\n+OK\r\n");
        }
    });
    port
}

/// A command that another thread hands over while the driver's task ends is never answered.
#[test]
fn a_command_that_meets_the_end_of_its_connection_does_not_wait_for_its_time_limit() {
    let url = format!("redis://127.0.0.1:{}", leaving());
    let server = Server {
        client: redis::Client::open(&*url).unwrap(),
        url,
        options: Options::default(),
        config: AsyncConnectionConfig::new(),
        cluster: None,
        scripts: Scripts::default(),
        connections: Mutex::default(),
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut connection = server.connect_one().await.unwrap();
        let never = unless_over(&mut connection.task, pending::<RedisResult<Value>>());
        let lost = tokio::time::timeout(Duration::from_secs(20), never).await;
        let lost = lost.expect("it waits on").unwrap_err();
        assert!(lost.is_unrecoverable_error() && !lost.is_timeout(), "{lost}");
        // What was answered before the end is an answer.
        let answer = unless_over(&mut connection.task, ready(Ok(Value::Okay))).await;
        assert_eq!(answer.unwrap(), Value::Okay);
    });
}
