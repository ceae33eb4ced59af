/** Questions with the query that answers each. `written`: another query for the same rows, which the scripted model writes. */
import type { AskedSchema } from "./asked-schemas.ts";

export interface AskedQuestion {
  readonly question: string;
  readonly expected: string;
  readonly written?: string;
}

const ask = (question: string, expected: string, written?: string): AskedQuestion => ({
  question,
  expected,
  ...(written === undefined ? {} : { written }),
});

const SHOP: readonly AskedQuestion[] = [
  ask(
    "How many customers are there?",
    "select count(*) from customers",
    "select count(id) as customers from customers",
  ),
  ask("List the names of all customers from Berlin.", "select name from customers where city = 'Berlin'"),
  ask(
    "Which cities do customers live in?",
    "select distinct city from customers",
    "select city from customers group by city",
  ),
  ask("How many customers live in each city?", "select city, count(*) from customers group by city"),
  ask("Show the five most expensive products.", "select name, price from products order by price desc limit 5"),
  ask(
    "What is the average price of each category of products?",
    "select category, avg(price) from products group by category",
  ),
  ask(
    "Which products are out of stock?",
    "select name from products where stock = 0",
    "select p.name from products as p where not p.stock > 0",
  ),
  ask(
    "Which products cost between 10 and 20?",
    "select name from products where price between 10 and 20",
    "select name from products where price >= 10 and price <= 20",
  ),
  ask(
    "How many orders has each customer placed?",
    "select c.name, count(*) from customers c join orders o on o.customer_id = c.id group by c.id, c.name",
  ),
  ask(
    "Which customers never placed an order?",
    "select name from customers where id not in (select customer_id from orders)",
    "select c.name from customers c where not exists (select 1 from orders o where o.customer_id = c.id)",
  ),
  ask(
    "Which customers have more than two orders?",
    "select c.name from customers c join orders o on c.id = o.customer_id group by c.id, c.name having count(*) > 2",
  ),
  ask(
    "How many orders are not paid?",
    "select count(*) from orders where not paid",
    "select count(*) filter (where paid = false) from orders",
  ),
  ask(
    "How many orders were placed in each month of 2025?",
    "select date_trunc('month', placed)::date, count(*) from orders where extract(year from placed) = 2025 group by 1 order by 1",
  ),
  ask(
    "What is the total revenue of each product?",
    "select p.name, sum(i.quantity * p.price) from products p join order_items i on i.product_id = p.id group by p.id, p.name",
  ),
  ask(
    "Which product was ordered in the largest quantity?",
    "select p.name from products p join order_items i on i.product_id = p.id group by p.id, p.name order by sum(i.quantity) desc, p.id limit 1",
  ),
  ask(
    "What did each city spend on orders?",
    "select c.city, sum(i.quantity * p.price) as spent from customers c join orders o on o.customer_id = c.id join order_items i on i.order_id = o.id join products p on p.id = i.product_id group by c.city order by spent desc",
  ),
  ask(
    "What is the value of order 7?",
    "select sum(i.quantity * p.price) from order_items i join products p on p.id = i.product_id where i.order_id = 7",
    "with lines as (select i.quantity * p.price as value from order_items i, products p where p.id = i.product_id and i.order_id = 7) select sum(value) from lines",
  ),
  ask("Which orders contain product 3?", "select order_id from order_items where product_id = 3"),
  ask(
    "What is the average number of stars of each product in reviews?",
    "select p.name, round(avg(r.stars), 2) from products p left join reviews r on r.product_id = p.id group by p.id, p.name",
  ),
  ask(
    "Which products have no reviews?",
    "select name from products except select p.name from products p join reviews r on r.product_id = p.id",
    "select p.name from products p left join reviews r on r.product_id = p.id where r.id is null",
  ),
  ask(
    "How many reviews have no text in their body?",
    "select count(*) from reviews where body is null",
    "select count(*) - count(body) from reviews",
  ),
  ask(
    "Which customers wrote a review with one star?",
    "select distinct c.name from customers c join reviews r on r.customer_id = c.id where r.stars = 1",
  ),
  ask(
    "Which products cost more than the average product?",
    "select name, price from products where price > (select avg(price) from products)",
  ),
  ask(
    "What is the most expensive product of each category?",
    "select distinct on (category) category, name from products order by category, price desc",
    "select category, name from (select category, name, row_number() over (partition by category order by price desc) as place from products) ranked where place = 1 order by category",
  ),
  ask(
    "Rank customers by the number of their orders.",
    "select name, rank() over (order by count(o.id) desc) from customers c join orders o on o.customer_id = c.id group by c.id, name",
  ),
  ask(
    "How many customers joined in each year?",
    "select extract(year from joined)::int as year, count(*) from customers group by 1 order by 1",
  ),
  ask(
    "What share of orders is paid, in percent?",
    "select round(100.0 * count(*) filter (where paid) / count(*), 1) from orders",
    "select round(100.0 * avg(case when paid then 1 else 0 end), 1) from orders",
  ),
  ask("How many days lie between the first and the last order?", "select max(placed) - min(placed) from orders"),
  ask(
    "List pairs of customers of the same city who joined within 80 days.",
    "select a.name, b.name from customers a join customers b on a.city = b.city and a.id < b.id where b.joined - a.joined <= 80",
  ),
  ask(
    "Which customers ordered Product 2 but never Product 3?",
    "select distinct c.name from customers c join orders o on o.customer_id = c.id join order_items i on i.order_id = o.id join products p on p.id = i.product_id where p.name = 'Product 2' except select c.name from customers c join orders o on o.customer_id = c.id join order_items i on i.order_id = o.id join products p on p.id = i.product_id where p.name = 'Product 3'",
  ),
  ask(
    "Show the running total of orders by date of placing.",
    "select placed, sum(count(*)) over (order by placed) from orders group by placed order by placed",
  ),
  ask(
    "Which names of customers end with a 1?",
    "select name from customers where name like '%1'",
    "select name from customers where right(name, 1) = '1'",
  ),
  ask(
    "Label each product as cheap below 15, otherwise as dear.",
    "select name, case when price < 15 then 'cheap' else 'dear' end as label from products",
  ),
  ask(
    "List the names of customers and the dates of their last order, also of those without one.",
    "select c.name, max(o.placed) from customers c left join orders o on o.customer_id = c.id group by c.id, c.name",
  ),
];

const SCHOOL: readonly AskedQuestion[] = [
  ask("How many students are there?", "select count(*) from students"),
  ask(
    "Which students come from Oslo?",
    "select full_name from students where home_town = 'Oslo'",
    "select full_name from students where lower(home_town) = 'oslo'",
  ),
  ask(
    "List teachers by salary, highest first.",
    "select full_name, salary from teachers order by salary desc, teacher_id",
  ),
  ask(
    "What is the average, lowest and highest salary of teachers?",
    "select avg(salary), min(salary), max(salary) from teachers",
  ),
  ask("Which courses have no teacher?", "select title from courses where teacher_id is null"),
  ask(
    "Who teaches each course?",
    "select c.title, t.full_name from courses c left join teachers t on t.teacher_id = c.teacher_id",
    "select title, full_name from courses left join teachers using (teacher_id)",
  ),
  ask(
    "Which teachers teach no course?",
    "select full_name from teachers where teacher_id not in (select teacher_id from courses where teacher_id is not null)",
    "select t.full_name from teachers t where (select count(*) from courses c where c.teacher_id = t.teacher_id) = 0",
  ),
  ask(
    "How many courses does each teacher teach?",
    "select t.full_name, count(c.course_id) from teachers t left join courses c on c.teacher_id = t.teacher_id group by t.teacher_id, t.full_name",
  ),
  ask("Which courses have four or more credits?", "select title, credits from courses where credits >= 4"),
  ask(
    "How many students are enrolled in each course?",
    "select c.title, count(distinct e.student_id) from courses c join enrollments e on e.course_id = c.course_id group by c.course_id, c.title",
  ),
  ask(
    "What is the average grade of each student's enrollments?",
    "select s.full_name, avg(e.grade) from students s join enrollments e using (student_id) group by s.student_id, s.full_name",
  ),
  ask(
    "Which students are enrolled in nothing?",
    "select full_name from students s where not exists (select from enrollments e where e.student_id = s.student_id)",
    "select full_name from students where student_id in (select student_id from students except select student_id from enrollments)",
  ),
  ask(
    "Who has the best average grade in enrollments?",
    "select s.full_name from students s join enrollments e on e.student_id = s.student_id group by s.student_id, s.full_name order by avg(e.grade) desc nulls last, s.student_id limit 1",
  ),
  ask(
    "How many enrollments have no grade yet?",
    "select count(*) from enrollments where grade is null",
    "select sum(case when grade is null then 1 else 0 end) from enrollments",
  ),
  ask(
    "What is the average grade per term of enrollments?",
    "select term, round(avg(grade), 3) from enrollments group by term",
  ),
  ask(
    "Which courses were taken in both terms of enrollments?",
    "select course_id from enrollments where term = '2025 spring' intersect select course_id from enrollments where term = '2025 autumn'",
  ),
  ask("Which rooms have more than 30 seats?", "select room_no, seats from rooms where seats > 30"),
  ask("How many seats has each building in its rooms?", "select building, sum(seats) from rooms group by building"),
  ask("How many lessons are there on each weekday?", "select weekday, count(*) from lessons group by weekday"),
  ask("Which lessons begin before 10 o'clock?", "select lesson_id, starts from lessons where starts < '10:00'"),
  ask(
    "Which courses have lessons in the North building's rooms?",
    "select distinct c.title from courses c join lessons l on l.course_id = c.course_id join rooms r on r.room_no = l.room_no where r.building = 'North'",
    "select title from courses where course_id in (select l.course_id from lessons l join rooms r on r.room_no = l.room_no and r.building = 'North')",
  ),
  ask("Which rooms are not used by lessons?", "select room_no from rooms except select room_no from lessons"),
  ask(
    "How old are students in whole years on 1 June 2026, by birth date?",
    "select full_name, extract(year from age(date '2026-06-01', birth_date))::int from students",
  ),
  ask(
    "Who is the youngest student?",
    "select full_name from students order by birth_date desc limit 1",
    "select full_name from students where birth_date = (select max(birth_date) from students)",
  ),
  ask(
    "How many credits does each student collect in enrollments of courses?",
    "select s.full_name, coalesce(sum(c.credits), 0) from students s left join enrollments e on e.student_id = s.student_id left join courses c on c.course_id = e.course_id group by s.student_id, s.full_name",
  ),
  ask(
    "Which teachers earn more than the average teacher?",
    "select full_name from teachers where salary > (select avg(salary) from teachers)",
    "select full_name from (select full_name, salary, avg(salary) over () as mean from teachers) t where salary > mean",
  ),
  ask(
    "Which students take a course of Teacher 3?",
    "select distinct s.full_name from students s join enrollments e on e.student_id = s.student_id join courses c on c.course_id = e.course_id join teachers t on t.teacher_id = c.teacher_id where t.full_name = 'Teacher 3'",
  ),
  ask("List the courses whose title begins with M.", "select title from courses where title ilike 'm%'"),
  ask(
    "Which home towns have more than nine students?",
    "select home_town from students group by home_town having count(*) > 9",
  ),
  ask(
    "How many students were born in each year?",
    "select date_part('year', birth_date) as year, count(*) from students group by 1 order by 1",
  ),
  ask(
    "Which course has the most lessons?",
    "select c.title from courses c join lessons l on l.course_id = c.course_id group by c.course_id, c.title order by count(*) desc, c.course_id limit 1",
  ),
  ask(
    "Who was hired first of the teachers, and who last?",
    "(select full_name, 'first' as place from teachers order by hired limit 1) union all (select full_name, 'last' from teachers order by hired desc limit 1)",
  ),
  ask(
    "What are the three best grades of each course's enrollments?",
    "select course_id, grade from (select course_id, grade, dense_rank() over (partition by course_id order by grade desc nulls last) as place from enrollments) g where place <= 3 and grade is not null",
  ),
];

const CINEMA: readonly AskedQuestion[] = [
  ask("How many films are there of each genre?", "select genre, count(*) from films group by genre"),
  ask("Which films are longer than two hours?", "select title, minutes from films where minutes > 120"),
  ask(
    "List the titles of films from the nineties, oldest first.",
    "select title, year from films where year between 1990 and 1999 order by year, id",
  ),
  ask(
    "What is the longest comedy film?",
    "select title from films where genre = 'comedy' order by minutes desc, id limit 1",
    "select title from films f where genre = 'comedy' and minutes = (select max(minutes) from films where genre = f.genre)",
  ),
  ask("How many people come from each country?", "select country, count(*) from people group by country"),
  ask("Who was born before 1950 of the people?", "select name from people where born < 1950"),
  ask(
    "Who plays in Film 5?",
    "select p.name, r.part from films f join roles r on r.film_id = f.id join people p on p.id = r.person_id where f.title = 'Film 5'",
  ),
  ask(
    "Who has a leading role in a horror film?",
    "select distinct p.name from people p join roles r on r.person_id = p.id join films f on f.id = r.film_id where r.is_lead and f.genre = 'horror'",
    "select name from people where id in (select person_id from roles where is_lead and film_id in (select id from films where genre = 'horror'))",
  ),
  ask(
    "Which films have no director?",
    "select title from films where id not in (select film_id from directors)",
    "select f.title from films f left join directors d on d.film_id = f.id where d.film_id is null",
  ),
  ask(
    "How many films did each director direct?",
    "select p.name, count(*) from directors d join people p on p.id = d.person_id group by p.id, p.name",
  ),
  ask(
    "Which people play in a film that they direct?",
    "select distinct p.name from people p join directors d on d.person_id = p.id join roles r on r.person_id = p.id and r.film_id = d.film_id",
  ),
  ask(
    "Which people have no role?",
    "select name from people except all select distinct p.name from people p join roles r on r.person_id = p.id",
    "select name from people p where not exists (select 1 from roles where person_id = p.id)",
  ),
  ask(
    "How many roles does each film have?",
    "select f.title, count(r.part) from films f left join roles r on r.film_id = f.id group by f.id, f.title",
  ),
  ask("How many seats do the theatres of each city have?", "select city, sum(seats) from theatres group by city"),
  ask(
    "Which theatres have more seats than the average theatre?",
    "select name from theatres where seats > (select avg(seats) from theatres)",
  ),
  ask(
    "How many tickets did each film sell in its showings?",
    "select f.title, sum(s.tickets) from films f join showings s on s.film_id = f.id group by f.id, f.title",
  ),
  ask(
    "What revenue did each theatre have from tickets?",
    "select t.name, sum(s.tickets * s.price) from theatres t join showings s on s.theatre_id = t.id group by t.id, t.name",
  ),
  ask(
    "Which theatre has no showings?",
    "select name from theatres where id not in (select theatre_id from showings)",
    "select t.name from theatres t left join showings s on s.theatre_id = t.id group by t.id, t.name having count(s.id) = 0",
  ),
  ask(
    "Which showings were sold out, with as many tickets as seats of the theatre?",
    "select s.id from showings s join theatres t on t.id = s.theatre_id where s.tickets >= t.seats",
  ),
  ask(
    "What was the best-selling showing of each month?",
    "select distinct on (date_trunc('month', shown_on)) date_trunc('month', shown_on)::date, id, tickets from showings order by date_trunc('month', shown_on), tickets desc, id",
  ),
  ask(
    "How many tickets were sold in each month of showings?",
    "select to_char(shown_on, 'YYYY-MM'), sum(tickets) from showings group by 1 order by 1",
  ),
  ask(
    "What is the average price of a ticket by city of the theatre?",
    "select t.city, round(avg(s.price), 2) from showings s join theatres t on t.id = s.theatre_id group by t.city",
  ),
  ask(
    "On which weekday are most tickets sold in showings?",
    "select extract(isodow from shown_on)::int as weekday, sum(tickets) from showings group by 1 order by 2 desc, 1 limit 1",
  ),
  ask(
    "Which films were never shown in showings?",
    "select title from films f where not exists (select 1 from showings s where s.film_id = f.id)",
  ),
  ask(
    "Which actors play in at least four films by their roles?",
    "select p.name from people p join roles r on r.person_id = p.id group by p.id, p.name having count(distinct r.film_id) >= 4",
  ),
  ask(
    "List pairs of people who play in the same film.",
    "select distinct a.person_id, b.person_id from roles a join roles b on a.film_id = b.film_id and a.person_id < b.person_id",
  ),
  ask(
    "How old was each director when the film appeared?",
    "select p.name, f.title, f.year - p.born from directors d join people p on p.id = d.person_id join films f on f.id = d.film_id",
  ),
  ask(
    "What is the average length of films by decade?",
    "select year / 10 * 10 as decade, avg(minutes) from films group by 1 order by 1",
  ),
  ask(
    "Show the running total of tickets of Theatre 1's showings by date.",
    "select s.shown_on, sum(s.tickets) over (order by s.shown_on) from showings s join theatres t on t.id = s.theatre_id where t.name = 'Theatre 1' order by s.shown_on",
  ),
  ask(
    "Which country's people have most leading roles?",
    "select p.country from people p join roles r on r.person_id = p.id where r.is_lead group by p.country order by count(*) desc, p.country limit 1",
  ),
  ask(
    "Which films were shown in every city that has theatres with showings?",
    "select f.title from films f join showings s on s.film_id = f.id join theatres t on t.id = s.theatre_id group by f.id, f.title having count(distinct t.city) = (select count(distinct t2.city) from theatres t2 join showings s2 on s2.theatre_id = t2.id)",
  ),
  ask(
    "List the parts of each film's roles in one text.",
    "select f.title, string_agg(r.part, ', ' order by r.part) from films f join roles r on r.film_id = f.id group by f.id, f.title",
  ),
  ask(
    "How do tickets of showings compare with the showing before in the same theatre?",
    "select id, tickets - lag(tickets) over (partition by theatre_id order by shown_on) from showings",
  ),
];

export const QUESTIONS: Readonly<Record<AskedSchema, readonly AskedQuestion[]>> = {
  shop: SHOP,
  school: SCHOOL,
  cinema: CINEMA,
};
