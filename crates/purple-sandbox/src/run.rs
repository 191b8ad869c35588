//! Compiles a text and runs it, within its bounds and on a stack of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use purple_port::{
    Arguments, CallFault, Clock, LIST_ITEMS_MAX, NotAdmitted, Outcome, RECORD_FIELDS_MAX, Signature,
    TEXT_BYTES_MAX,
};
use rhai::{AST, CallFnOptions, Dynamic, Engine, OptimizationLevel, Scope};

use crate::fault::{self, Ended, cut};
use crate::limits::{
    CALL_LEVELS_MAX, CALL_MILLIS_MAX, EXPRESSION_LEVELS_MAX, FUNCTIONS_PER_CODE_MAX, STACK_BYTES,
    STEPS_BETWEEN_LOOKS, STEPS_MAX, VARIABLES_MAX,
};
use crate::source::DISALLOWED;
use crate::value::{inward, kind, outward, to_text};
use crate::vocabulary::Vocabulary;

/// A text that the language has read, with the function that it declares.
pub(crate) struct Compiled {
    ast: AST,
    signature: Signature,
}

/// How one call ended, and how many steps it took.
pub(crate) struct Ran {
    pub(crate) ended: Result<Outcome, CallFault>,
    pub(crate) steps: u64,
}

/// Runs compiled texts.
pub(crate) struct Runner {
    vocabulary: Vocabulary,
    clock: Arc<dyn Clock>,
}

impl Runner {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { vocabulary: Vocabulary::new(), clock }
    }

    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Milliseconds of the clock since it was, or none if it went back.
    pub(crate) fn now_millis(&self) -> i64 {
        self.clock.now().as_millisecond()
    }

    /// Reads a text that the checks before let through, and finds the declared function in it.
    pub(crate) fn compile(&self, code: &str, signature: &Signature) -> Result<Compiled, NotAdmitted> {
        let mut engine = self.engine();
        for (symbol, _) in DISALLOWED {
            engine.disable_symbol(*symbol);
        }
        engine.set_strict_variables(true).set_allow_anonymous_fn(false);
        let ast = engine.compile(code).map_err(|error| NotAdmitted::Unparsable {
            line: error.position().line().unwrap_or(0),
            column: error.position().position().unwrap_or(0),
            what: cut(&error.err_type().to_string()),
        })?;
        let named: Vec<&str> = signature.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let is_declared =
            ast.iter_functions().any(|found| found.name == signature.name && found.params == named);
        if !is_declared {
            return Err(NotAdmitted::NoSuchFunction {
                declared: format!("{}({})", signature.name, named.join(", ")),
            });
        }
        Ok(Compiled { ast: ast.clone_functions_only(), signature: signature.clone() })
    }

    /// Runs the declared function. The arguments were checked. Call it on a stack that is large enough.
    pub(crate) fn run(&self, compiled: &Compiled, arguments: &Arguments) -> Ran {
        let parameters = &compiled.signature.parameters;
        let values: Option<Vec<Dynamic>> =
            parameters.iter().map(|parameter| arguments.get(&parameter.name).map(inward)).collect();
        let Some(values) = values else { return Ran { ended: Err(CallFault::Broken), steps: 0 } };
        let steps = Arc::new(AtomicU64::new(0));
        let mut engine = self.engine();
        engine.on_progress(self.watch(Arc::clone(&steps)));
        // Only what the call needs: no statements outside of functions, nothing of an earlier call.
        let options = CallFnOptions::new().eval_ast(false);
        let answered = engine.call_fn_with_options::<Dynamic>(
            options,
            &mut Scope::new(),
            &compiled.ast,
            &compiled.signature.name,
            values,
        );
        let ended = match answered {
            Ok(value) => self.answer(compiled, &value),
            Err(error) => match fault::read(*error) {
                Ended::Threw(thrown) => refusal(compiled, &thrown),
                Ended::Failed(fault) => Err(fault),
            },
        };
        Ran { ended, steps: steps.load(Ordering::Relaxed) }
    }

    fn answer(&self, compiled: &Compiled, value: &Dynamic) -> Result<Outcome, CallFault> {
        let datum = outward(value)?;
        if compiled.signature.answers.fits(&datum) {
            return Ok(Outcome::Value(datum));
        }
        Err(CallFault::WrongShape { found: datum.kind_name() })
    }

    /// Counts steps, and ends the call when its time is over.
    fn watch(&self, steps: Arc<AtomicU64>) -> impl Fn(u64) -> Option<Dynamic> + Send + Sync + 'static {
        let clock = Arc::clone(&self.clock);
        let began = self.now_millis();
        let allowed = i64::try_from(CALL_MILLIS_MAX).unwrap_or(i64::MAX);
        move |count| {
            steps.store(count, Ordering::Relaxed);
            let over = count % STEPS_BETWEEN_LOOKS == 0 && clock.now().as_millisecond() - began > allowed;
            over.then_some(Dynamic::UNIT)
        }
    }

    /// A new engine without anything but the vocabulary: a call cannot leave anything behind for the next one.
    fn engine(&self) -> Engine {
        let mut engine = Engine::new_raw();
        engine.register_global_module(self.vocabulary.module.clone());
        // The language's own operators round and overflow; ours are found first only when it takes no short cut.
        engine.set_fast_operators(false).set_optimization_level(OptimizationLevel::None);
        engine.set_fail_on_invalid_map_property(true);
        engine
            .set_max_operations(STEPS_MAX)
            .set_max_call_levels(CALL_LEVELS_MAX)
            .set_max_expr_depths(EXPRESSION_LEVELS_MAX, EXPRESSION_LEVELS_MAX)
            .set_max_variables(VARIABLES_MAX)
            .set_max_functions(FUNCTIONS_PER_CODE_MAX)
            .set_max_modules(0)
            .set_max_string_size(TEXT_BYTES_MAX)
            .set_max_array_size(LIST_ITEMS_MAX)
            .set_max_map_size(RECORD_FIELDS_MAX);
        engine
    }
}

/// What a thrown value means: a declared refusal, or a fault.
fn refusal(compiled: &Compiled, thrown: &Dynamic) -> Result<Outcome, CallFault> {
    let word = to_text(thrown).unwrap_or_else(|| format!("a {}", kind(thrown)));
    if compiled.signature.refuses.contains(&word) {
        return Ok(Outcome::Refused(word));
    }
    Err(CallFault::Undeclared { word: cut(&word) })
}

/// Does the work on a thread with a known stack. `None` if there is no thread, or if the work panicked: the language
/// has faults of its own, and they end there.
pub(crate) fn on_own_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let spawned = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        spawned.ok().and_then(|running| running.join().ok())
    })
}
