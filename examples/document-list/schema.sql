create table if not exists documents (
  id uuid primary key,
  title text not null,
  -- The e-mail address of a person.
  author text not null,
  updated_at timestamptz not null default now()
);
create index if not exists documents_by_title on documents (lower(title), id);
create index if not exists documents_by_time on documents (updated_at desc, id desc);
