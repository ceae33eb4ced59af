-- The words of headings on their own, and a search that takes its words from the index alone (docs/knowledge-search.md).

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

-- Each word behind a mark, with which no word of a text begins.
create function otto_marked_words(value tsvector)
returns tsvector
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_to_tsvector(array_agg('#' || word)), ''::tsvector) from unnest(tsvector_to_array(value)) as word
$$;

-- As in 0043, and the words of the headings once more, marked. The index has no weights: to compare them, each found row would
-- be read.
create or replace function otto_set_piece_words()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  headings tsvector := public.otto_text_words(array_to_string(new.heading, ' / '));
begin
  new.tsv := setweight(headings, 'A') || public.otto_text_words(left(new.text, 20000)) || public.otto_marked_words(headings);
  return new;
end
$$;

-- Pieces of this transaction's tenant with a word of the query in their text, headings or title, the best first. `query`,
-- `projects` and the role: as in 0043. Each word is looked up on its own, so that the index alone says which words a piece has;
-- what a row has is large. A word counts more the fewer pieces have it, and once more in the headings and in the title. By the
-- title alone, only the first pieces of a document are found.
create or replace function otto_find_pieces(query text, kinds text[], projects text[], how_many integer)
returns table (id text, rank real)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  with words as materialized (
    select w.place, public.otto_word_query(w.word) as wanted
    from unnest(string_to_array(query, ' ')) with ordinality as w (word, place)
    where w.word <> '' and w.place <= 32
  ), documents as materialized (
    select d.tenant, d.id, d.shown, d.title_words
    from public.knowledge_documents d
    where d.tenant = nullif(current_setting('app.tenant', true), '')
      and d.deleted_at is null
  ), looked as materialized (
    select place, wanted, 1::float8 as share from words where wanted is not null
    union all
    select place, regexp_replace(wanted::text, '(^|[ (])''', '\1''#', 'g')::tsquery, 0.6 from words where wanted is not null
  ), found as materialized (
    select l.place, l.share, h.places, coalesce(cardinality(h.places), 0) as number
    from looked l cross join lateral (
      select array_agg(one.place) as places
      from (
        select match.place
        from (
          select p.ctid as place, p.document, p.version
          from public.knowledge_pieces p
          where p.tenant = nullif(current_setting('app.tenant', true), '')
            and p.tsv @@ l.wanted
            and p.kind = any (kinds)
            and (projects is null or p.project = any (projects))
          -- The offset keeps Postgres from reading whole documents in place of the index of words.
          offset 0
        ) as match
        where (match.document, match.version) in (select d.id, d.shown from documents d)
        limit 8000
      ) as one
    ) as h
  ), rarity as materialized (
    select f.place, ln(1 + (most.number - f.number + 0.5)::float8 / (f.number + 0.5)) as factor
    from found f, (select greatest(10, 2 * max(number)) as number from found) as most
    where f.share = 1
  ), scored as materialized (
    select one.place, sum(f.share * r.factor) as score
    from found f join rarity r on r.place = f.place cross join unnest(f.places) as one (place)
    group by one.place
    order by score desc, one.place
    limit 1000
  ), titles as materialized (
    select d.tenant, d.id, d.shown, sum(r.factor) as score
    from documents d join words w on d.title_words @@ w.wanted join rarity r on r.place = w.place
    group by d.tenant, d.id, d.shown
    order by score desc, d.id
    limit 200
  )
  select c.id, c.score::real as rank
  from (
    select p.id, s.score + coalesce(t.score, 0) as score
    from scored s
    join public.knowledge_pieces p on p.ctid = s.place
    left join titles t on t.id = p.document
    union all
    select p.id, t.score
    from titles t
    join public.knowledge_pieces p
      on p.tenant = t.tenant and p.document = t.id and p.version = t.shown and p.ordinal < 3
    where p.kind = any (kinds)
      and (projects is null or p.project = any (projects))
      and not exists (select from scored s where s.place = p.ctid)
  ) as c
  order by c.score desc, c.id
  limit least(how_many, 200)
$$;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;

-- A search reads the places of thousands of rows. Texts and words lie apart from these, so that a page has thirty rows, not three.
alter table knowledge_pieces set (toast_tuple_target = 512);
-- What was added since the last vacuum is searched one by one.
alter index knowledge_pieces_by_word set (gin_pending_list_limit = 512);

-- What is stored already, also for the new layout. As in 0043.
alter table knowledge_pieces no force row level security;
alter table knowledge_pieces disable trigger set_words;
-- Their vectors are made again, with titles and headings.
update knowledge_pieces set tsv = tsv || otto_marked_words(ts_filter(tsv, '{a}')), embedded_by = null;
alter table knowledge_pieces enable trigger set_words;
alter table knowledge_pieces force row level security;
