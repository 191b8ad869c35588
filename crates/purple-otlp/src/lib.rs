//! Traces of runs: spans made from their journals, sent by OTLP.
//!
//! ```no_run
//! # use std::sync::Arc;
//! # use purple_port::Figures;
//! # async fn serve(figures: Arc<dyn Figures>) -> Result<(), Box<dyn std::error::Error>> {
//! let exporter = purple_otlp::Exporter::new(figures, "http://127.0.0.1:4318")?;
//! exporter.run(async { let _ = tokio::signal::ctrl_c().await; }).await;
//! # Ok(())
//! # }
//! ```

mod export;
mod open;
mod requests;
mod span;
mod weave;
mod wire;

pub use export::{Exporter, NoExporter};
pub use requests::{Request, Requests};
