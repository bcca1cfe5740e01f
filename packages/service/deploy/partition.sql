-- Partitions sessions, attempts and ledger by month, for PostgreSQL. Ids begin with their time, so a range of ids is a
-- range of time. Only a merchant's own AutoPay charges have no time in their id: they are always in the first partition, so
-- never detach that one if there are any. Run it once with psql, a month or more before `first_month` begins:
--
--   psql -v ON_ERROR_STOP=1 -f partition.sql postgres://…
--   call partition_by_month('sessions', 'id', '2027-02-01');
--   call partition_by_month('attempts', 'id', '2027-02-01');
--   call partition_by_month('ledger', 'payment_id', '2027-02-01');
--
-- The current table becomes the first partition, for everything before that month. The call reads it once while it is in
-- use, then swaps the names. It waits up to a second for each lock that stops the service. If a call fails, nothing has
-- changed: call it again when no dump or report reads the table. If a call is killed or loses its connection, call it
-- again at once: it may have left the constraint before_months, which refuses every new row from first_month on.
-- The call adds partitions for twelve months, or for as many as a fourth argument says. Add more in time: without a
-- partition for the current month, every request of its kind fails.
--
--   call add_month('sessions', 'id', '2028-02-01');
--
-- Foreign keys that point to a partitioned table are dropped; the service writes both ends in one transaction. Before a
-- later `migrate`, create the indexes that `migrate --plan` prints on each partition (concurrently), then on the table.

-- The time part of an id: nine digits of base 32 that count milliseconds.
create or replace function time_of_id(instant timestamptz) returns text language sql immutable as $$
  select string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', (((ms >> (5 * (8 - digit))) & 31) + 1)::int, 1), '' order by digit)
  from (select (extract(epoch from instant) * 1000)::bigint as ms) as time, generate_series(0, 8) as digit
$$;

create or replace function prefix_of(name text, key text) returns text language plpgsql stable as $$
declare prefix text;
begin
  execute format('select left(%I, 4) from %I limit 1', key, name) into strict prefix;
  return prefix;
end
$$;

-- Midnight UTC.
create or replace function first_id(prefix text, month date) returns text language sql immutable as $$
  select prefix || time_of_id(month::timestamp at time zone 'UTC')
$$;

create or replace function owner_of(name text) returns text language sql stable as $$
  select relowner::regrole::text from pg_class where oid = name::regclass
$$;

create or replace procedure add_month(name text, key text, month date) language plpgsql as $$
declare
  prefix constant text := prefix_of(name, key);
  partition constant text := name || to_char(month, '_YYYY_MM');
begin
  -- Unlike `partition of`, attaching a table doesn't lock out the service.
  execute format('create table %I (like %I including defaults)', partition, name);
  execute format('alter table %I owner to %s', partition, owner_of(name));
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', name, partition,
    first_id(prefix, month), first_id(prefix, (month + interval '1 month')::date));
  -- One press of Pay is one attempt. Both have the same id, so the same partition.
  if name = 'attempts' then
    execute format('create unique index on %I (session_id, request_id)', partition);
  end if;
end
$$;

create or replace procedure partition_by_month(name text, key text, first_month date, months int default 12) language plpgsql as $$
declare
  prefix constant text := prefix_of(name, key);
  before constant text := name || '_before';
  item record;
  failure text;
begin
  if exists (select from pg_partitioned_table where partrelid = name::regclass) then
    raise exception '% is already partitioned: call add_month', name;
  elsif first_month <= current_date then
    raise exception 'first_month must be in the future';
  end if;

  set local lock_timeout = '1s';
  -- An earlier call may have been stopped.
  execute format('alter table %I drop constraint if exists before_months', name);
  execute format('alter table %I add constraint before_months check (%I < %L) not valid', name, key,
    first_id(prefix, first_month));
  commit;

  begin
    execute format('alter table %I validate constraint before_months', name);
    set local lock_timeout = '1s';
    for item in select conrelid::regclass as source, conname from pg_constraint
      where confrelid = name::regclass and contype = 'f'
    loop
      execute format('alter table %s drop constraint %I', item.source, item.conname);
    end loop;
    execute format('alter table %I rename to %I', name, before);
    for item in select indexname from pg_indexes where tablename = before and schemaname = current_schema() loop
      execute format('alter index %I rename to %I', item.indexname, item.indexname || '_before');
    end loop;
    execute format('create table %I (like %I including defaults) partition by range (%I)', name, before, key);
    execute format('alter table %I owner to %s', name, owner_of(before));
    for item in select privilege_type, case grantee when 0 then 'public' else grantee::regrole::text end as role
      from pg_class, aclexplode(relacl) where pg_class.oid = before::regclass and grantee <> relowner
    loop
      execute format('grant %s on %I to %s', item.privilege_type, name, item.role);
    end loop;
    execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', name, before,
      first_id(prefix, first_month));
    -- These take over the indexes of the first partition instead of building them.
    for item in
      select replace(relname, '_before', '') as index, pg_get_indexdef(indexrelid) as definition, indisprimary as is_key,
        pg_get_constraintdef(pg_constraint.oid) as constraint
      from pg_index join pg_class on pg_class.oid = indexrelid
      left join pg_constraint on conindid = indexrelid and contype = 'p'
      where indrelid = before::regclass and (indisprimary or not indisunique)
    loop
      if item.is_key then
        execute format('alter table %I add constraint %I %s', name, item.index, item.constraint);
      else
        execute replace(item.definition, '_before', '');
      end if;
    end loop;
    for ahead in 0..months - 1 loop
      call add_month(name, key, (first_month + make_interval(months => ahead))::date);
    end loop;
  exception when query_canceled or others then
    failure := sqlerrm;
  end;
  commit;
  if failure is null then return; end if;

  -- Left in place, it would refuse every new row once the month has begun.
  loop
    begin
      set local lock_timeout = '1s';
      execute format('alter table %I drop constraint before_months', name);
      exit;
    exception when lock_not_available then
      raise notice 'waiting for % to drop the constraint before_months', name;
      perform pg_sleep(5);
    end;
  end loop;
  commit;
  raise exception '% was not partitioned: %', name, failure;
end
$$;
