-- The words of pieces, and the search for them (docs/knowledge-search.md).

create extension if not exists btree_gin;

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

-- The configuration for the language of a text, by its most frequent words; English without enough of them.
create function otto_text_language(value text)
returns regconfig
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
  select coalesce((
    select l.config
    from (values
      ('english'::regconfig, '{the,of,and,to,in,is,that,for,it,with,are,was,be,this,by,from,or,have,not}'::text[]),
      ('german',     '{der,die,und,das,den,von,zu,mit,ist,des,dem,nicht,ein,eine,auf,für,sich,auch,wird,im}'),
      ('french',     '{le,la,les,et,des,du,un,une,est,dans,que,pour,qui,pas,au,sur,par,ne,avec,sont}'),
      ('spanish',    '{el,los,las,que,y,del,una,por,con,para,es,se,lo,al,como,su,más,en,está}'),
      ('italian',    '{il,di,che,gli,della,per,un,una,con,non,sono,dei,nel,alla,è,del,lo,si,anche}'),
      ('portuguese', '{o,os,as,que,do,da,dos,das,em,um,uma,para,com,não,por,mais,ao,no,na,é}'),
      ('dutch',      '{de,het,een,van,en,dat,niet,te,op,voor,met,zijn,aan,ook,wordt,bij,er,maar,naar}'),
      ('swedish',    '{och,att,det,som,på,är,av,för,med,den,till,inte,om,ett,har,jag,kan,men}'),
      ('danish',     '{og,at,det,er,på,af,for,med,til,ikke,som,den,der,en,har,kan,men,være}'),
      ('norwegian',  '{og,at,det,er,på,av,for,med,til,ikke,som,den,en,har,kan,men,være,ble}'),
      ('finnish',    '{ja,on,ei,että,se,oli,hän,mutta,ovat,tai,kun,niin,myös,joka,voi,sen}'),
      ('russian',    '{и,в,не,на,что,с,по,это,как,для,из,а,от,к,он,мы,все,или,при}')
    ) as l (config, common)
    join regexp_split_to_table(lower(left(value, 2000)), '[^[:alpha:]]+') as w (word) on w.word = any (l.common)
    group by l.config
    having count(*) >= 3
    order by count(*) desc, l.config::text
    limit 1
  ), 'english'::regconfig)
$$;

-- The words of a text: as they are, so that names match, and in their basic form in the language of the text. A script
-- without spaces has its pairs of characters.
create function otto_text_words(value text)
returns tsvector
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
  select to_tsvector('simple', value) || to_tsvector(public.otto_text_language(value), value) || coalesce((
    select array_to_tsvector(array_agg(distinct substr(run[1], place, 2)))
    from regexp_matches(value, '[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2,}', 'g') as run,
      generate_series(1, length(run[1]) - 1) as place
  ), ''::tsvector)
$$;

-- A word of a query: the word, and its basic form in every language, since a query is too short to tell its own.
create function otto_word_query(word text)
returns tsquery
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
  select string_agg(distinct found.one::text, ' | ')::tsquery
  from (
    select plainto_tsquery('simple', lexeme) as one
    from (
      select lower(word)
      union
      select unnest(ts_lexize(dictionary, lower(word)))
      from unnest('{english_stem,german_stem,french_stem,spanish_stem,italian_stem,portuguese_stem,dutch_stem,swedish_stem,danish_stem,norwegian_stem,finnish_stem,russian_stem}'::regdictionary[]) as dictionary
    ) as forms (lexeme)
  ) as found
  where numnode(found.one) > 0
$$;

-- Who writes a piece writes no words: they follow from its headings and its text.
create function otto_set_piece_words()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  new.tsv := setweight(public.otto_text_words(array_to_string(new.heading, ' / ')), 'A')
    || public.otto_text_words(left(new.text, 20000));
  return new;
end
$$;

create trigger set_words before insert or update of text, heading, tsv on knowledge_pieces
  for each row execute function otto_set_piece_words();

-- The words of the title that searches show: the given one, that of the shown version, or the filename.
alter table knowledge_documents add column title_words tsvector not null default '';

create function otto_set_title_words()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  own text;
begin
  select v.title into own from public.knowledge_versions v
  where v.tenant = new.tenant and v.document = new.id and v.version = new.shown;
  new.title_words := public.otto_text_words(coalesce(new.title, own, new.filename));
  return new;
end
$$;

create trigger set_title_words before insert or update of title, filename, shown, title_words on knowledge_documents
  for each row execute function otto_set_title_words();

-- Pieces of this transaction's tenant with a word of the query in their text, headings or title, the best first. `query`:
-- words with a space between them. `projects`: null for all, '' for the tenant's own. Row-level security lets no index
-- serve a condition that may leak, as `@@` may, so this runs as a role that its policies do not narrow, and takes the
-- tenant from where they take it. A word counts more the fewer of the found pieces have it, and more in a heading or in
-- the title than in the text. By the title alone, only the first pieces of a document are found.
create function otto_find_pieces(query text, kinds text[], projects text[], how_many integer)
returns table (id text, rank real)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  with words as materialized (
    select place, public.otto_word_query(word) as wanted
    from unnest(string_to_array(query, ' ')) with ordinality as w (word, place)
    where word <> '' and place <= 32
  ), titles as materialized (
    select d.tenant, d.id, d.shown, d.title_words
    from public.knowledge_documents d
    where d.tenant = nullif(current_setting('app.tenant', true), '')
      and d.title_words @@ (select string_agg(wanted::text, ' | ')::tsquery from words)
  ), hits as materialized (
    (
      select p.id, p.document, p.tsv
      from public.knowledge_pieces p
      where p.tenant = nullif(current_setting('app.tenant', true), '')
        and p.tsv @@ (select string_agg(wanted::text, ' | ')::tsquery from words)
        and p.kind = any (kinds)
        and (projects is null or p.project = any (projects))
        and exists (
          select from public.knowledge_documents d
          where d.tenant = p.tenant and d.id = p.document and d.shown = p.version and d.deleted_at is null
        )
      limit 20000
    )
    union all
    (
      select p.id, p.document, p.tsv
      from titles t
      join public.knowledge_documents d on d.tenant = t.tenant and d.id = t.id and d.deleted_at is null
      join public.knowledge_pieces p
        on p.tenant = t.tenant and p.document = t.id and p.version = t.shown and p.ordinal < 3
      where not p.tsv @@ (select string_agg(wanted::text, ' | ')::tsquery from words)
        and p.kind = any (kinds)
        and (projects is null or p.project = any (projects))
      limit 200
    )
  ), matches as materialized (
    select h.id, w.place,
      ts_rank('{0.4,0.4,0.6,1}', h.tsv, w.wanted) + case when t.title_words @@ w.wanted then 0.3 else 0 end as weight
    from hits h
    left join titles t on t.id = h.document
    join words w on h.tsv @@ w.wanted or t.title_words @@ w.wanted
  ), rarity as (
    select m.place, ln(1 + ((select count(*) from hits) - count(*) + 0.5) / (count(*) + 0.5)) as factor
    from matches m group by m.place
  )
  select m.id, sum(m.weight * r.factor)::real as rank
  from matches m join rarity r on r.place = m.place
  group by m.id
  order by rank desc, m.id
  limit least(how_many, 200)
$$;

alter function otto_find_pieces(text, text[], text[], integer) owner to otto_directory;
revoke all on function otto_find_pieces(text, text[], text[], integer) from public;
revoke all on function otto_set_piece_words()                          from public;
revoke all on function otto_set_title_words()                          from public;
grant execute on function otto_find_pieces(text, text[], text[], integer) to otto_app;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;

create index knowledge_pieces_by_word on knowledge_pieces using gin (tenant, tsv);
-- Statistics of them would be computed from the words of a sample, and no plan needs them.
alter table knowledge_pieces    alter column tsv         set statistics 0;
alter table knowledge_documents alter column title_words set statistics 0;

-- What is stored already. Policies bind the owner too, so they are lifted for this.
alter table knowledge_documents no force row level security;
alter table knowledge_versions  no force row level security;
alter table knowledge_pieces    no force row level security;
update knowledge_documents set title_words = title_words;
update knowledge_pieces    set tsv = tsv;
alter table knowledge_documents force row level security;
alter table knowledge_versions  force row level security;
alter table knowledge_pieces    force row level security;
