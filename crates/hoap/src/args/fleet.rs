//! `hoap gather`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use hoap_record::Time;

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Gather {
    /// How many drivers there are: each is `hoap run … --part I/N --meet HOST:PORT`
    #[arg(value_name = "N", value_parser = clap::value_parser!(u64).range(2..=1000))]
    pub drivers: u64,
    /// Where the drivers come to, such as 127.0.0.1:7117
    #[arg(long, value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// Folder of the merged run. The drivers' own go into DIR.drivers/part-1, DIR.drivers/part-2, …
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Look there for what all drivers saw acknowledged
    #[arg(long, visible_alias = "target", value_name = "URL")]
    pub operational: Option<String>,
    /// How long one driver may be waited for: until it comes, and until it is ready for a step
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub wait: Time,
    /// Encrypt what is said, with the certificate in this PEM file, for the host that drivers dial
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    #[arg(conflicts_with = "insecure_without_tls")]
    pub tls_cert: Option<PathBuf>,
    /// The key of the certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Listen beyond this machine although nothing is encrypted
    #[arg(long)]
    pub insecure_without_tls: bool,
}
