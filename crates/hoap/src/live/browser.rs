//! The user's browser.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use crate::console::Console;

/// What opens an address in the browser that the user chose, the first that there is.
const OPENERS: &[&[&str]] = match cfg!(target_os = "macos") {
    true => &[&["open"]],
    false => &[&["xdg-open"], &["gio", "open"], &["wslview"]],
};

/// Opens the page at this address, or says that nothing does.
pub fn open(address: SocketAddr, console: &Console) {
    let ip = match address.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    let page = format!("http://{}/", SocketAddr::new(ip, address.port()));
    if !OPENERS.iter().any(|opener| started(opener, &page).is_ok()) {
        let names: Vec<&str> = OPENERS.iter().map(|opener| opener[0]).collect();
        console.say(format!("  no browser opened: no {} here; open {page}", names.join(", no ")));
    }
}

/// In a process group of its own: Ctrl-C is for the run.
fn started(opener: &[&str], page: &str) -> io::Result<()> {
    let mut command = Command::new(opener[0]);
    command.args(&opener[1..]).arg(page).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    std::thread::spawn(move || child.wait());
    Ok(())
}
