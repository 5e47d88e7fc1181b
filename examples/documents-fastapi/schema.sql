create table if not exists documents (
  id uuid primary key,
  workspace_id uuid not null,
  owner_id uuid not null,
  title text not null,
  body text not null default '',
  updated_at timestamptz not null default now()
);
create index if not exists documents_by_time on documents (workspace_id, updated_at desc, id);

-- Calls to daikon that a transaction has decided on; see documents/outbox.py.
create table if not exists outbox (
  id bigint generated always as identity primary key,
  call jsonb not null,
  error text
);
