-- Payloads are compressed before they are sent here: `unpackText()` tells them from the plain text of before.
alter table events alter column payload type bytea using convert_to(payload, 'UTF8');
alter table events alter column payload set storage external;
