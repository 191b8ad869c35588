-- Texts that are stored small. Where `packed` is not null it holds what the column before it would hold, which is then
-- empty; what an earlier version wrote stays as it is.

ALTER TABLE journal ADD COLUMN packed BLOB;
ALTER TABLE checkpoints ADD COLUMN packed BLOB;
ALTER TABLE blobs ADD COLUMN packed BLOB;
