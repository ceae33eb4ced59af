/** Pages that are mostly scripts, with their text in the middle. */
import { application, embedState, hashed, newspaper } from "./layouts.ts";
import { makePage, type SamplePage } from "./sample-page.ts";
import { ENGLISH } from "./site-words.ts";

const AD = `<div class="ad-slot" data-slot="mid"><script>window.ads=window.ads||[];ads.push({slot:"mid",html:"<p>not a paragraph</p>"});</script></div>`;

export const SCRIPT_PAGES: readonly SamplePage[] = [
  makePage(application, ENGLISH, {
    name: "tides-app",
    kind: "scripts",
    title: "How tides are predicted",
    main: `${embedState(900)}<div class="css-t1"><p>A tide is the sum of some forty waves, each with its own period. A station measures for a year, and the waves are fitted to what it measured.</p></div>${embedState(500)}<div class="css-t1"><p>The longest of them takes 18.6 years, which is why old tables are worth keeping. <a href="/tides/constituents">The table of constituents</a> lists the largest.</p></div>${embedState(900)}`,
    sentences: ["A tide is the sum of some forty waves, each with its own period.", "The longest of them takes 18.6 years, which is why old tables are worth keeping."],
    links: ["https://site.example/tides/constituents"],
  }),
  makePage(newspaper, ENGLISH, {
    name: "paragraphs-between-ads",
    kind: "scripts",
    title: "The last lamplighter",
    main: ["Every evening at dusk Osvaldo Brandt takes his pole from the hook and walks the eleven streets that still have gas.", "He lights 240 lamps in an hour and forty minutes, and he has not missed an evening since 2003.", `The city wants to replace them, as <a href="/lamps/plan">the plan of the works department</a> says, but not while he works.`, "He is 61, and says that he is in no hurry."]
      .map((text) => `<p>${text}</p>${AD}`)
      .join(""),
    sentences: ["He lights 240 lamps in an hour and forty minutes, and he has not missed an evening since 2003.", "He is 61, and says that he is in no hurry."],
    links: ["https://site.example/lamps/plan"],
  }),
  makePage(application, ENGLISH, {
    name: "recipe-in-json",
    kind: "scripts",
    title: "Barley soup with leeks",
    main: `<script type="application/ld+json">{"@type":"Recipe","name":"Barley soup with leeks","recipeIngredient":["hidden copy of the list"]}</script><div class="css-r1"><p>A soup for four, on the table in fifty minutes.</p><h2>Ingredients</h2><ul><li>150 g pearl barley</li><li>3 leeks</li><li>1 litre of stock</li></ul><h2>Method</h2><ol><li>Rinse the barley until the water is clear.</li><li>Cook it in the stock for thirty minutes.</li><li>Add the leeks in rings and cook for ten more.</li></ol><p>It is better on the second day, says <a href="/cooks/ilse">Ilse</a>.</p></div>`,
    sentences: ["150 g pearl barley", "Rinse the barley until the water is clear.", "Add the leeks in rings and cook for ten more."],
    links: ["https://site.example/cooks/ilse"],
  }),
  makePage(hashed, ENGLISH, {
    name: "status-page",
    kind: "scripts",
    title: "Delayed deliveries in the western region",
    main: `<div class="css-s1"><div><strong>Resolved</strong> · 14:52 UTC</div><p>Deliveries are back to normal. All delayed messages have been sent in their order.</p></div>${embedState(40)}<div class="css-s1"><div><strong>Identified</strong> · 13:20 UTC</div><p>A full disk stopped one of three queues. We move its messages to the other two.</p></div><div class="css-s1"><div><strong>Investigating</strong> · 13:04 UTC</div><p>Some deliveries are late by more than ten minutes.</p></div><p><a href="/history">Past incidents</a></p>`,
    sentences: ["All delayed messages have been sent in their order.", "A full disk stopped one of three queues.", "13:04 UTC"],
    links: ["https://site.example/history"],
  }),
];
