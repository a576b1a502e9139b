-- Traces are searched by what spans below their entries say, too: {"db.system.name": ["postgresql"], …}, see span_facts.ts.
-- Found by the key of batches from the trace. Spans of before are not searched.
alter table span_batches add column facts jsonb not null default '{}';
