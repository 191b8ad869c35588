-- Which cases came from elsewhere: a person who decides is not shown them as what happened here.

ALTER TABLE cases ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;

UPDATE cases SET imported = 1 WHERE session NOT IN (SELECT name FROM sessions);

-- What several domains say about one field: of those that contradict each other, what was read last stands.
UPDATE knowledge SET superseded =
    (SELECT min(newer.at) FROM knowledge AS newer
     WHERE newer.kind = knowledge.kind AND newer.folded = knowledge.folded AND newer.field = knowledge.field
       AND newer.value <> knowledge.value AND newer.superseded IS NULL
       AND (newer.at, newer.id) > (knowledge.at, knowledge.id))
WHERE superseded IS NULL;
