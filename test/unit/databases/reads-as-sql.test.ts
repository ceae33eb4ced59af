import { expect, it } from "vitest";
import { readsAsSql } from "../../../core/databases/reads-as-sql.ts";

it.each([
  ["select 1", true],
  ["  (SELECT 1)", true],
  ["with a as (select 1) select * from a", true],
  ["/* a */ -- b\n select 1", true],
  ["delete from orders", true],
  ["with recursive a(n) as materialized (select 1) select n from a;", true],
  ['WITH "a b" AS (select 1) table "a b"', true],
  ["values (1)", true],
  ["table orders;", true],
  ["explain analyze select 1", true],
  ["set role boss", true],
  ["do $$ begin end $$", true],
  ["call own()", true],
  ["begin; delete from orders; commit", true],
  ["Delete which orders?", false],
  ["Select the customers with most orders?", false],
  ["With which customers do we earn most", false],
  ["Explain which customers left last year", false],
  ["Do customers in Berlin order more", false],
  ["Call volumes by month", false],
  ["Table of revenue by month", false],
  ["Set of all cities", false],
  ["Values of the orders of May", false],
  ["How many orders are there?", false],
  ["selection of the best customers", false],
  ["/* select 1", false],
  ["-- select 1", false],
  ["", false],
  [`${"/**/".repeat(10_000)}x`, false],
])("%j", (text, expected) => {
  expect(readsAsSql(text)).toBe(expected);
});

it.each(["table x", "with a", "explain", "set", "begin"])(
  "reads %s and many spaces in a time that grows with their number alone",
  (begin) => {
    expect(readsAsSql(`${begin}${" ".repeat(50_000)}y`)).toBe(false);
  },
);
