/** Three small schemas with rows, and tables beside them that no question means. */

export const SCHEMAS = ["shop", "school", "cinema"] as const;
export type AskedSchema = (typeof SCHEMAS)[number];

const NOISE_TABLES = 80;

export const SETUP = `
  create schema shop;
  create table shop.customers (id int primary key, name text, city text, joined date);
  create table shop.products (id int primary key, name text, category text, price numeric(8, 2), stock int);
  create table shop.orders (id int primary key, customer_id int references shop.customers, placed date, paid boolean);
  create table shop.order_items (order_id int references shop.orders, product_id int references shop.products, quantity int,
    primary key (order_id, product_id));
  create table shop.reviews (id int primary key, product_id int references shop.products, customer_id int references shop.customers,
    stars int, body text);
  insert into shop.customers select i, 'Customer ' || i, (array['Berlin', 'Paris', 'Oslo', 'Lima'])[1 + i % 4], date '2024-01-01' + i * 17
    from generate_series(1, 24) i;
  insert into shop.products select i, 'Product ' || i, (array['book', 'toy', 'tool'])[1 + i % 3], i * 3.25, (i * 7) % 15
    from generate_series(1, 15) i;
  insert into shop.orders select i, 1 + (i * 7) % 19, date '2025-01-01' + i * 4, i % 3 <> 0 from generate_series(1, 60) i;
  insert into shop.order_items select i, 1 + (i * k) % 13, 1 + (i + k) % 4 from generate_series(1, 60) i, generate_series(1, 3) k
    on conflict do nothing;
  insert into shop.reviews select i, 1 + i % 11, 1 + (i * 3) % 24, 1 + (i * 7) % 5, case when i % 4 = 0 then null else 'Text ' || i end
    from generate_series(1, 40) i;

  create schema school;
  create table school.teachers (teacher_id int primary key, full_name text, hired date, salary int);
  create table school.courses (course_id int primary key, title text, credits int, teacher_id int references school.teachers);
  create table school.students (student_id int primary key, full_name text, birth_date date, home_town text);
  create table school.enrollments (student_id int references school.students, course_id int references school.courses, term text,
    grade numeric(3, 1), primary key (student_id, course_id, term));
  create table school.rooms (room_no text primary key, seats int, building text);
  create table school.lessons (lesson_id int primary key, course_id int references school.courses, room_no text references school.rooms,
    weekday text, starts time);
  insert into school.teachers select i, 'Teacher ' || i, date '2010-09-01' + i * 300, 40000 + (i * 3700) % 21000 from generate_series(1, 9) i;
  insert into school.courses select i, (array['Maths', 'Physics', 'Art', 'Latin', 'Music', 'Chemistry'])[1 + i % 6] || ' ' || i, 2 + i % 4,
    case when i % 7 = 0 then null else 1 + i % 8 end from generate_series(1, 14) i;
  insert into school.students select i, 'Student ' || i, date '2005-01-01' + i * 41, (array['Oslo', 'Bergen', 'Rome'])[1 + i % 3]
    from generate_series(1, 30) i;
  insert into school.enrollments select i, 1 + (i * k) % 13, (array['2025 spring', '2025 autumn'])[1 + k % 2],
    case when (i + k) % 9 = 0 then null else 1 + ((i * 7 + k * 3) % 50) / 10.0 end
    from generate_series(1, 28) i, generate_series(1, 4) k on conflict do nothing;
  insert into school.rooms select chr(64 + i) || i, 10 + (i * 13) % 40, (array['North', 'South'])[1 + i % 2] from generate_series(1, 8) i;
  insert into school.lessons select i, 1 + i % 12, chr(65 + i % 7) || (1 + i % 7),
    (array['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'])[1 + i % 5], time '08:00' + i % 6 * interval '1 hour'
    from generate_series(1, 25) i;

  create schema cinema;
  create table cinema.films (id int primary key, title text, year int, minutes int, genre text);
  create table cinema.people (id int primary key, name text, born int, country text);
  create table cinema.roles (film_id int references cinema.films, person_id int references cinema.people, part text, is_lead boolean);
  create table cinema.directors (film_id int references cinema.films, person_id int references cinema.people);
  create table cinema.theatres (id int primary key, name text, city text, seats int);
  create table cinema.showings (id int primary key, film_id int references cinema.films, theatre_id int references cinema.theatres,
    shown_on date, tickets int, price numeric(6, 2));
  insert into cinema.films select i, 'Film ' || i, 1990 + (i * 7) % 35, 80 + (i * 11) % 75, (array['drama', 'comedy', 'horror', 'war'])[1 + i % 4]
    from generate_series(1, 25) i;
  insert into cinema.people select i, 'Person ' || i, 1940 + (i * 9) % 60, (array['France', 'Peru', 'Japan'])[1 + i % 3] from generate_series(1, 20) i;
  insert into cinema.roles select 1 + i % 22, 1 + (i * 3) % 18, 'Part ' || i, i % 3 = 0 from generate_series(1, 70) i;
  insert into cinema.directors select i, 1 + (i * 2) % 9 from generate_series(1, 23) i;
  insert into cinema.theatres select i, 'Theatre ' || i, (array['Lyon', 'Cusco', 'Kyoto'])[1 + i % 3], 60 + i * 35 from generate_series(1, 7) i;
  insert into cinema.showings select i, 1 + i % 20, 1 + (i * 5) % 6, date '2026-01-01' + i, (i * 17) % 130, 6 + i % 5 * 1.5
    from generate_series(1, 90) i;

  create schema noise;
  do $$ begin for i in 1..${NOISE_TABLES} loop
    execute format('create table noise.metric_%s (id int primary key, recorded timestamptz, amount_%s int, remark text)', i, i);
  end loop; end $$;
  grant usage on schema shop, school, cinema, noise to reader;
  grant select on all tables in schema shop, school, cinema, noise to reader;`;
