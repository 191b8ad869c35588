//! Opens the demo company behind one door, or shows what happened in it.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Parser, ValueEnum};
use purple_backoffice::{
    Approver, BadFault, Clock, DoorError, Fault, HttpDoor, Ledger, Office, OpenError, Setup, parse_faults,
    serve_stdio,
};

/// A small company behind MCP and a plain HTTP bridge, with a ledger that counts every effect.
#[derive(Debug, Parser)]
#[command(name = "purple-backoffice", version)]
struct Typed {
    #[command(flatten)]
    what: What,
    /// The company's file; without one it lives in memory.
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// The company's business day; the file's own, or else today.
    #[arg(long, value_name = "DATE")]
    today: Option<jiff::civil::Date>,
    /// What the rows are made from.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Something that goes wrong, such as `reject_invoice:lie` or `*:slow,ms=50`; may be repeated.
    #[arg(long, value_name = "SPEC")]
    fault: Vec<Fault>,
    /// A file of faults, one a line.
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
    /// What the person behind the approval tools says.
    #[arg(long, value_enum, default_value_t = Says::Nothing)]
    approver: Says,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct What {
    /// Serve MCP on stdin and stdout.
    #[arg(long)]
    stdio: bool,
    /// Serve MCP under /rpc and the plain bridge under /mcp on a loopback address; says where on stdout.
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Found the company and leave.
    #[arg(long, requires = "data")]
    seed_only: bool,
    /// Print the effects of the company's file as JSON lines.
    #[arg(long, requires = "data")]
    ledger: bool,
    /// Print the calls of the company's file as JSON lines.
    #[arg(long, requires = "data")]
    calls: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Says {
    Nothing,
    Yes,
    No,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Door(#[from] DoorError),
    #[error(transparent)]
    Fault(#[from] BadFault),
    #[error("`{file}` cannot be read: {source}")]
    Faults { file: String, source: std::io::Error },
    #[error("stdout is closed: {0}")]
    Output(#[from] std::io::Error),
}

fn main() -> ExitCode {
    let typed = Typed::parse();
    match run(typed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // With stderr gone as well, the exit code still tells.
            let _ = writeln!(std::io::stderr(), "purple-backoffice: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(typed: Typed) -> Result<(), Failure> {
    if let (Some(file), true) = (&typed.data, typed.what.ledger || typed.what.calls) {
        let ledger = Ledger::read(file)?;
        let lines = if typed.what.ledger { ledger.effects_as_lines() } else { ledger.calls_as_lines() };
        return Ok(std::io::stdout().write_all(lines.as_bytes())?);
    }
    let office = Arc::new(open(&typed)?);
    if typed.what.seed_only {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        match typed.what.http {
            Some(address) => listen(office, address).await,
            None => serve_stdio(office).await.map_err(Failure::from),
        }
    });
    // Calls that hang by fault must not keep the process alive.
    runtime.shutdown_background();
    served
}

fn open(typed: &Typed) -> Result<Office, Failure> {
    let founded = match &typed.data {
        Some(file) => Office::founded_on(file)?,
        None => None,
    };
    let clock = typed.today.or(founded).map_or_else(Clock::system, Clock::running);
    let mut faults = typed.fault.clone();
    if let Some(file) = &typed.faults {
        let unreadable = |source| Failure::Faults { file: file.display().to_string(), source };
        faults.extend(parse_faults(&std::fs::read_to_string(file).map_err(unreadable)?)?);
    }
    let office = Office::open(Setup { data: typed.data.clone(), clock, seed: typed.seed, faults })?;
    office.set_approver(match typed.approver {
        Says::Nothing => Approver::Silent,
        Says::Yes => Approver::Approves,
        Says::No => Approver::Rejects,
    })?;
    Ok(office)
}

async fn listen(office: Arc<Office>, address: SocketAddr) -> Result<(), Failure> {
    let mut door = HttpDoor::open(office, address).await?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{}", serde_json::json!({"mcp": door.mcp_url(), "bridge": door.bridge_url()}))?;
    stdout.flush()?;
    tokio::select! {
        () = door.closed() => {}
        // Without a way to hear the signal, only the signal's default can end us.
        heard = tokio::signal::ctrl_c() => heard?,
    }
    Ok(())
}
