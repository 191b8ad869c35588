//! What may happen next: the process machine, the gate, plans, grants and process files.
