-- A search of code that looks each word up on its own (docs/codebases.md, decision 0185).

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

-- Symbols and chunks of this transaction's tenant that have any of the wanted words, the best first. `symbol_words`, `text_words`,
-- `how_many` and the role: as in 0045. What has all of the words comes first. A word counts more the fewer rows have it, and a name
-- twice as much as a part of one. Of a word that many rows have, only the first of them are compared: its weight is small. A query
-- for one type of file compares more, since the index of words knows no types.
create or replace function otto_find_code(
  of_codebases text[], symbol_words text, text_words text, of_extensions text[], how_many integer)
returns table (
  found text, codebase text, path text, language text, start_line integer, end_line integer, name text, kind text,
  signature text, doc text, code text, code_line integer)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  with scope as materialized (
    select string_agg(quote_literal('c:' || c.id), ' | ')::tsquery as codebases,
      case when of_extensions is null then 500 else 20000 end as most
    from public.codebases c
    where c.tenant = nullif(current_setting('app.tenant', true), '') and c.id = any (of_codebases)
  ), symbol_places as materialized (
    select h.places,
      case when w.word like '% & %' then 100 when w.word like '''n:%' then 2 else 1 end
        * ln(1 + 1e6::float8 / (coalesce(cardinality(h.places), 0) + 0.5)) as weight
    from scope
      cross join unnest(string_to_array(symbol_words, ' | ') || replace(text_words, ' | ', ' & ')) as w (word)
      cross join lateral (
        select array_agg(one.place) as places
        from (
          select match.place
          from (
            select s.ctid as place, s.tenant, s.codebase
            from public.code_symbols s
            where s.terms @@ (scope.codebases && w.word::tsquery)
            -- The offset keeps Postgres from reading whole codebases in place of the index of words.
            offset 0
          ) as match
          where match.tenant = nullif(current_setting('app.tenant', true), '') and match.codebase = any (of_codebases)
          limit scope.most
        ) as one
      ) as h
  ), text_places as materialized (
    select h.places,
      case when w.word like '% & %' then 100 else 1 end
        * ln(1 + 1e6::float8 / (coalesce(cardinality(h.places), 0) + 0.5)) as weight
    from scope
      cross join unnest(string_to_array(text_words, ' | ') || replace(text_words, ' | ', ' & ')) as w (word)
      cross join lateral (
        select array_agg(one.place) as places
        from (
          select match.place
          from (
            select c.ctid as place, c.tenant, c.codebase
            from public.code_chunks c
            where c.terms @@ (scope.codebases && w.word::tsquery)
            offset 0
          ) as match
          where match.tenant = nullif(current_setting('app.tenant', true), '') and match.codebase = any (of_codebases)
          limit scope.most
        ) as one
      ) as h
  ), symbols as (
    select s.*, f.language, best.rank
    -- Each place is looked up in this order, until enough of them are seen: the offsets keep Postgres from another order.
    from (
      select one.place, sum(p.weight) as rank
      from symbol_places p cross join unnest(p.places) as one (place)
      group by one.place
      order by rank desc, one.place
    ) as best
      cross join lateral (select * from public.code_symbols r where r.ctid = best.place offset 0) s
      cross join lateral (
        select f.language, f.extension from public.code_files f
        where f.tenant = s.tenant and f.codebase = s.codebase and f.path = s.path and f.build = s.build and f.live
        offset 0
      ) f
    where of_extensions is null or f.extension = any (of_extensions)
    limit how_many
  ), texts as (
    select c.*, f.language, best.rank
    from (
      select one.place, sum(p.weight) as rank
      from text_places p cross join unnest(p.places) as one (place)
      group by one.place
      order by rank desc, one.place
    ) as best
      cross join lateral (select * from public.code_chunks r where r.ctid = best.place offset 0) c
      cross join lateral (
        select f.language, f.extension from public.code_files f
        where f.tenant = c.tenant and f.codebase = c.codebase and f.path = c.path and f.build = c.build and f.live
        offset 0
      ) f
    where of_extensions is null or f.extension = any (of_extensions)
    limit how_many
  )
  (
    select 'symbol', s.codebase, s.path, s.language, s.start_line, s.end_line, s.name, s.kind, s.signature, s.doc,
      coalesce(t.text, ''), coalesce(t.start_line, s.start_line)
    from symbols s left join lateral (
      select c.text, c.start_line from public.code_chunks c
      where c.tenant = s.tenant and c.codebase = s.codebase and c.path = s.path and c.build = s.build
        and c.start_line <= s.start_line and c.end_line >= s.start_line
      order by c.ordinal limit 1
    ) t on true
    order by s.rank desc, s.path, s.ordinal
  )
  union all
  (
    select 'text', t.codebase, t.path, t.language, t.start_line, t.end_line, null, null, null, null, t.text, t.start_line
    from texts t
    order by t.rank desc, t.path, t.ordinal
  )
$$;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
