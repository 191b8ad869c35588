//! The worker with durable storage beside LangGraph with its SQLite checkpointer. See README.md.

mod house;
mod model;
mod office;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use house::{Failed, House, Workload};
use purple_worker::port::SessionId;
use serde_json::{Value, json};

// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const CLIENTS: [u64; 3] = [1, 8, 32];
const STATES: u64 = 8;
const COLD_STARTS: usize = 9;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [] => compare(600, 100),
        ["cold", folder] => cold(Path::new(folder)),
        ["model"] => model::serve(),
        [ours, theirs] => match (ours.parse(), theirs.parse()) {
            (Ok(ours), Ok(theirs)) => compare(ours, theirs),
            _ => Err("usage: bench-worker [OUR_TASKS THEIR_TASKS]".into()),
        },
        ["run", workload, clients, tasks, folder] => run(workload, clients, tasks, Path::new(folder)),
        _ => Err("usage: bench-worker [OUR_TASKS THEIR_TASKS]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, Failed> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?)
}

/// CPU time of this process in milliseconds: fields 14 and 15 of its `stat`, in hundredths of a second.
fn cpu_ms() -> Result<u64, Failed> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after = stat.rsplit_once(')').ok_or("no name in stat")?.1;
    let fields: Vec<&str> = after.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|it| it.parse::<u64>().ok()).ok_or("no such field");
    Ok((ticks(11)? + ticks(12)?) * 10)
}

fn rss_kb() -> Result<u64, Failed> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

fn bytes_in(folder: &Path) -> Result<u64, Failed> {
    let mut bytes = 0;
    for file in std::fs::read_dir(folder)? {
        bytes += file?.metadata()?.len();
    }
    Ok(bytes)
}

/// Runs tasks in this process and prints what they cost.
fn run(workload: &str, clients: &str, tasks: &str, folder: &Path) -> Result<(), Failed> {
    let workload = Workload::parse(workload).ok_or("no such workload")?;
    let (clients, tasks): (u64, u64) = (clients.parse()?, tasks.parse()?);
    runtime()?.block_on(async {
        let house = Arc::new(House::open(folder, workload)?);
        let idle = rss_kb()?;
        let empty = bytes_in(folder)?;
        let next = Arc::new(AtomicU64::new(0));
        let (cpu, began) = (cpu_ms()?, Instant::now());
        let mut working = tokio::task::JoinSet::new();
        for _ in 0..clients {
            let (house, next) = (Arc::clone(&house), Arc::clone(&next));
            working.spawn(async move {
                let mut times = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= tasks {
                        return Ok::<Vec<Duration>, Failed>(times);
                    }
                    let began = Instant::now();
                    house.task(number).await?;
                    times.push(began.elapsed());
                }
            });
        }
        let mut times = Vec::new();
        for done in working.join_all().await {
            times.extend(done?);
        }
        let wall = began.elapsed();
        let cpu = cpu_ms()? - cpu;
        let rss = rss_kb()?;
        times.sort_unstable();
        let p50 = times.get(times.len() / 2).copied().unwrap_or_default();
        let calls = house.office.calls();
        Arc::into_inner(house).ok_or("a client is left")?.close().await?;
        let bytes = bytes_in(folder)?.saturating_sub(empty);
        let told = json!({
            "tasks": tasks, "cpu_us": cpu * 1000 / tasks, "wall_us": wall.as_micros() as u64,
            "p50_us": p50.as_micros() as u64, "idle_kb": idle, "rss_kb": rss, "bytes": bytes / tasks,
            "calls": calls / tasks,
        });
        println!("{told}");
        Ok(())
    })
}

/// From the start of the process to the first accepted task, on a folder that has work in it.
fn cold(folder: &Path) -> Result<(), Failed> {
    runtime()?.block_on(async {
        let house = House::open(folder, Workload::Tools)?;
        let number = 1_000_000 + u64::from(std::process::id());
        house.accept(&SessionId::parse(&format!("t{number}"))?, number).await?;
        println!("accepted");
        house.close().await
    })
}

struct Row {
    who: &'static str,
    workload: &'static str,
    clients: u64,
    told: Value,
}

impl Row {
    fn figure(&self, name: &str) -> f64 {
        self.told.get(name).and_then(|value| value.to_string().parse().ok()).unwrap_or(f64::NAN)
    }

    fn per_second(&self) -> f64 {
        self.figure("tasks") * 1e6 / self.figure("wall_us")
    }
}

fn last_line(command: &mut Command) -> Result<Value, Failed> {
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("{command:?} failed").into());
    }
    let said = String::from_utf8(output.stdout)?;
    Ok(serde_json::from_str(said.lines().last().unwrap_or_default())?)
}

fn fresh(name: &str) -> Result<PathBuf, Failed> {
    let folder = std::env::temp_dir().join(format!("bench-worker-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn cold_start(command: &mut dyn FnMut() -> Result<Command, Failed>) -> Result<f64, Failed> {
    use std::io::{BufRead as _, BufReader};
    let mut times = Vec::new();
    for _ in 0..COLD_STARTS {
        let began = Instant::now();
        let mut child = command()?.stdout(Stdio::piped()).spawn()?;
        let out = child.stdout.take().ok_or("no output")?;
        BufReader::new(out).lines().next().ok_or("it said nothing")??;
        times.push(began.elapsed());
        child.wait()?;
    }
    times.sort_unstable();
    Ok(times[times.len() / 2].as_secs_f64() * 1000.0)
}

fn compare(our_tasks: u64, their_tasks: u64) -> Result<(), Failed> {
    let me = std::env::current_exe()?;
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = here.join("langgraph/venv/bin/python");
    if !python.exists() {
        return Err("run ./langgraph/setup first: it makes the Python environment".into());
    }
    let script = here.join("langgraph/peer.py");
    let mut rows = Vec::new();
    let mut kept = None;
    let asked = model::Elsewhere::start(&me)?;
    for workload in ["null", "tools", "llm"] {
        for clients in CLIENTS {
            eprintln!("{workload}, {clients} clients");
            let folder = fresh(&format!("{workload}-{clients}"))?;
            let words = [workload, &clients.to_string(), &our_tasks.to_string()];
            let told =
                last_line(Command::new(&me).arg("run").args(words).arg(&folder).env(model::URL, &asked.url))?;
            rows.push(Row { who: "purple", workload, clients, told });
            // The cold start is measured on a folder of the `tools` workload.
            if workload == "llm" {
                std::fs::remove_dir_all(folder)?;
            } else if let Some(old) = kept.replace(folder) {
                std::fs::remove_dir_all(old)?;
            }
            let folder = fresh("peer")?;
            let words = [workload, &clients.to_string(), &their_tasks.to_string()];
            let mut peer = Command::new(&python);
            peer.arg(&script).arg("run").args(words).arg(&folder).env(model::URL, &asked.url);
            let told = last_line(&mut peer)?;
            rows.push(Row { who: "langgraph", workload, clients, told });
            std::fs::remove_dir_all(folder)?;
        }
    }
    let folder = kept.ok_or("nothing ran")?;
    let ours = cold_start(&mut || {
        let mut command = Command::new(&me);
        command.arg("cold").arg(&folder);
        Ok(command)
    })?;
    std::fs::remove_dir_all(folder)?;
    let folder = fresh("peer-cold")?;
    let theirs = cold_start(&mut || {
        let mut command = Command::new(&python);
        command.arg(&script).arg("cold").arg(&folder);
        Ok(command)
    })?;
    std::fs::remove_dir_all(folder)?;
    table(&rows, ours, theirs);
    Ok(())
}

fn table(rows: &[Row], ours: f64, theirs: f64) {
    println!(
        "| workload | clients | | CPU ms/task | p50 ms | tasks/s | RSS MB idle / after | stored per task | stored per state |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for row in rows {
        println!(
            "| `{}` | {} | {} | {:.2} | {:.1} | {:.0} | {:.0} / {:.0} | {:.1} kB | {:.2} kB |",
            row.workload,
            row.clients,
            row.who,
            row.figure("cpu_us") / 1000.0,
            row.figure("p50_us") / 1000.0,
            row.per_second(),
            row.figure("idle_kb") / 1024.0,
            row.figure("rss_kb") / 1024.0,
            row.figure("bytes") / 1000.0,
            row.figure("bytes") / 1000.0 / STATES as f64,
        );
    }
    println!();
    println!("| workload | clients | CPU | tasks/s | stored |");
    println!("|---|---|---|---|---|");
    for pair in rows.chunks(2) {
        let [us, them] = pair else { continue };
        println!(
            "| `{}` | {} | {:.1} × less | {:.1} × more | {:.1} × less |",
            us.workload,
            us.clients,
            them.figure("cpu_us") / us.figure("cpu_us"),
            us.per_second() / them.per_second(),
            them.figure("bytes") / us.figure("bytes"),
        );
    }
    println!();
    println!(
        "cold start, median of {COLD_STARTS}: purple {ours:.0} ms, langgraph {theirs:.0} ms ({:.0} × less)",
        theirs / ours
    );
    for row in rows.iter().filter(|row| row.who == "purple" && row.clients == 1) {
        println!("`{}`: {} tool calls reach the port per task", row.workload, row.figure("calls"));
    }
}
