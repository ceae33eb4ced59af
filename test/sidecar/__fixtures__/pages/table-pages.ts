/** Tables: statistics, timetables, results, comparisons with spanning cells. */
import { encyclopedia, newspaper, office, plain, tables } from "./layouts.ts";
import { makePage, type SamplePage } from "./sample-page.ts";
import { ENGLISH, GERMAN } from "./site-words.ts";

export const TABLE_PAGES: readonly SamplePage[] = [
  makePage(office, ENGLISH, {
    name: "population",
    kind: "table",
    title: "Population by district, 2016 to 2026",
    main: `<p>Residents on 1 January of each year. Figures for 2026 are provisional.</p>
<table class="data"><caption>Residents by district</caption><thead><tr><th scope="col">District</th><th scope="col">2016</th><th scope="col">2021</th><th scope="col">2026</th></tr></thead>
<tbody><tr><th scope="row">Northbank</th><td>41,207</td><td>43,880</td><td>45,102</td></tr><tr><th scope="row">Old Town</th><td>18,350</td><td>17,921</td><td>17,466</td></tr><tr><th scope="row">Saltmarsh</th><td>9,014</td><td>12,377</td><td>15,890</td></tr></tbody></table>
<p>The method changed in 2019. See <a href="/statistics/method">how residents are counted</a>.</p>`,
    sentences: ["| District | 2016 | 2021 | 2026 |", "| Saltmarsh | 9,014 | 12,377 | 15,890 |", "Figures for 2026 are provisional.", "Residents by district"],
    links: ["https://site.example/statistics/method"],
  }),
  makePage(tables, ENGLISH, {
    name: "timetable",
    kind: "table",
    title: "Ferry timetable, summer",
    main: `<table border="1"><tr><th>Pier</th><th>First</th><th>Then every</th><th>Last</th></tr><tr><td>Oldmarket</td><td>05:40</td><td>20 min</td><td>23:20</td></tr><tr><td>Lighthouse</td><td>06:10</td><td>40 min</td><td>21:30</td></tr><tr><td>Saltmarsh</td><td>06:25</td><td>60 min</td><td>20:25</td></tr></table>
<p>On public holidays the ferries run as on Sundays. <a href="prices.html">Prices</a> are the same at all piers.</p>`,
    sentences: ["| Pier | First | Then every | Last |", "| Lighthouse | 06:10 | 40 min | 21:30 |", "On public holidays the ferries run as on Sundays."],
    links: ["https://site.example/prices.html"],
  }),
  makePage(newspaper, ENGLISH, {
    name: "league-table",
    kind: "table",
    title: "Rowing league: standings after round nine",
    main: `<p>Tern Valley lead by a single point after a dead heat on the lake.</p><div class="table-wrapper"><table><tr><td><strong>Club</strong></td><td><strong>Won</strong></td><td><strong>Lost</strong></td><td><strong>Points</strong></td></tr><tr><td><a href="/clubs/tern-valley">Tern Valley</a></td><td>7</td><td>2</td><td>22</td></tr><tr><td><a href="/clubs/kingsweir">Kingsweir</a></td><td>7</td><td>2</td><td>21</td></tr><tr><td><a href="/clubs/mill-lane">Mill Lane</a></td><td>3</td><td>6</td><td>9</td></tr></table></div>
<p>Round ten is rowed on the river, against the stream.</p>`,
    sentences: ["Tern Valley lead by a single point after a dead heat on the lake.", "| [Kingsweir](https://site.example/clubs/kingsweir) | 7 | 2 | 21 |", "Round ten is rowed on the river, against the stream."],
    links: ["https://site.example/clubs/tern-valley", "https://site.example/clubs/mill-lane"],
  }),
  makePage(encyclopedia, ENGLISH, {
    name: "moons",
    kind: "table",
    title: "List of probes to the outer moons",
    main: `<p>This list has the probes that were built for the outer moons, with the year in which each arrived.</p>
<table class="wikitable sortable"><tr><th rowspan="2">Probe</th><th colspan="2">Year</th><th rowspan="2">Agency</th></tr><tr><th>Launched</th><th>Arrived</th></tr>
<tr><td>Halcyon 1</td><td>1984</td><td>1991</td><td>Joint</td></tr><tr><td>Halcyon 2</td><td>1986</td><td>1994</td><td>Joint</td></tr><tr><td>Ostara</td><td>2007</td><td>2015</td><td><a href="/wiki/Northern_Office">Northern Office</a></td></tr></table>`,
    sentences: ["This list has the probes that were built for the outer moons, with the year in which each arrived.", "|  | Launched | Arrived |  |",
      "| Halcyon 2 | 1986 | 1994 | Joint |", "| Ostara | 2007 | 2015 |"],
    links: ["https://site.example/wiki/Northern_Office"],
  }),
  makePage(office, GERMAN, {
    name: "gebuehren",
    kind: "table",
    title: "Gebühren für Ausweise",
    main: `<p>Die Gebühr ist bei der Beantragung zu bezahlen, bar oder mit Karte.</p><table><thead><tr><th>Dokument</th><th>unter 24 Jahren</th><th>ab 24 Jahren</th></tr></thead><tbody><tr><td>Personalausweis</td><td>22,80 €</td><td>37,00 €</td></tr><tr><td>Reisepass</td><td>37,50 €</td><td>70,00 €</td></tr></tbody></table><p>Ein Termin ist nötig: <a href="/termin">Termin vereinbaren</a>.</p>`,
    sentences: ["| Dokument | unter 24 Jahren | ab 24 Jahren |", "| Reisepass | 37,50 € | 70,00 € |", "Die Gebühr ist bei der Beantragung zu bezahlen, bar oder mit Karte."],
    links: ["https://site.example/termin"],
  }),
  makePage(plain, ENGLISH, {
    name: "only-a-table",
    kind: "table",
    title: "Error codes",
    main: `<table><tr><th>Code</th><th>Meaning</th></tr>${[
      ["E01", "Door open"],
      ["E02", "Water too cold"],
      ["E03", "Pump blocked"],
      ["E04", "Sensor missing"],
    ]
      .map(([code, meaning]) => `<tr><td>${code}</td><td>${meaning}</td></tr>`)
      .join("")}</table><p>Order parts from <a href="/parts">the parts list</a>.</p>`,
    sentences: ["| Code | Meaning |", "| E03 | Pump blocked |"],
    links: ["https://site.example/parts"],
  }),
];
