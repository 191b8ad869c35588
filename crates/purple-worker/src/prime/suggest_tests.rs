use purple_finance::Currency;

use super::*;

fn suggested(text: &str) -> Vec<String> {
    let setting = Setting { today: jiff::civil::date(2026, 3, 4), dollar: Currency::USD };
    let processes = Process::shipped().unwrap();
    nearest(text, &processes, &setting).into_iter().map(|one| one.sentence).collect()
}

#[test]
fn the_nearest_tasks_come_first_with_the_ids_of_the_text() {
    let found = suggested("Reset the password of E-1005");
    assert_eq!(found[0], "Offboard employee E-1005, last day <last day>");
    assert_eq!(found[1], "Revoke the system access of employee E-1005");
    assert_eq!(
        suggested("Compare INV-2024-448 with INV-2024-449")[0],
        "Approve or reject invoice INV-2024-448 per policy"
    );
    assert_eq!(suggested("Archive inv 2024 448")[0], "Approve or reject invoice INV-2024-448 per policy");
}

#[test]
fn words_alone_suggest_a_task_and_small_talk_suggests_none() {
    assert_eq!(
        suggested("Something about an invoice")[0],
        "Approve or reject invoice <invoice number> per policy"
    );
    assert_eq!(
        suggested("Etwas mit der Rechnung INV-2024-448 ist nicht in Ordnung")[0],
        "Bitte die Rechnung INV-2024-448 freigeben"
    );
    assert_eq!(suggested("Hello, how are you?"), Vec::<String>::new());
    assert_eq!(suggested(""), Vec::<String>::new());
}
