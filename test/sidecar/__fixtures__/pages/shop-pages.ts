/** Shops: products, a list of products, a room to rent, a second-hand offer. */
import { application, hashed, shop } from "./layouts.ts";
import { makePage, type SamplePage } from "./sample-page.ts";
import { ENGLISH, GERMAN } from "./site-words.ts";

export const SHOP_PAGES: readonly SamplePage[] = [
  makePage(shop, ENGLISH, {
    name: "kettle",
    kind: "shop",
    title: "Stovetop kettle, 1.7 litres",
    main: `<div class="gallery"><img src="/p/kettle-1.webp" alt="The kettle from the side"></div><div class="product-info"><h1>Stovetop kettle, 1.7 litres</h1><div class="price"><span>€ 39.90</span></div><div class="stock">In stock, with you in 2 to 3 days</div><button>Add to basket</button></div>
<div class="description"><h2>Description</h2><p>A kettle of stainless steel with a whistle that can be lifted off. The handle stays cool, because it is riveted to the lid and not to the body.</p></div>
<div class="specs"><h2>Details</h2><table><tr><th>Weight</th><td>820 g</td></tr><tr><th>Stoves</th><td>Gas, electric, induction</td></tr><tr><th>Dishwasher</th><td>No</td></tr></table></div>
<div class="reviews"><h2>Reviews</h2><div class="review"><p>Boils fast, and the whistle is loud enough to hear in the garden.</p></div><div class="review"><p>The lid is stiff at first. After a week it was fine.</p></div></div><p><a href="/manuals/kettle.pdf">Manual (PDF)</a></p>`,
    sentences: ["€ 39.90", "A kettle of stainless steel with a whistle that can be lifted off.", "Gas, electric, induction", "The lid is stiff at first."],
    links: ["https://site.example/manuals/kettle.pdf"],
  }),
  makePage(shop, ENGLISH, {
    name: "list-of-lamps",
    kind: "shop",
    title: "Desk lamps",
    main: `<h1>Desk lamps</h1><p>8 products</p><div class="grid">${[
      ["aldo", "Aldo desk lamp, brass", "89.00"],
      ["brisa", "Brisa clamp lamp, white", "45.50"],
      ["corvo", "Corvo reading lamp, black", "112.00"],
      ["duna", "Duna lamp with dimmer", "64.25"],
      ["elba", "Elba lamp for two bulbs", "58.00"],
      ["faro", "Faro lamp on a tripod", "149.00"],
      ["gozo", "Gozo lamp, green glass", "71.90"],
      ["hven", "Hven lamp, folded paper", "38.00"],
    ]
      .map(([slug, title, price]) => `<div class="product-card"><a href="/lamps/${slug}"><img src="/l/${slug}.webp" alt=""></a><h3><a href="/lamps/${slug}">${title}</a></h3><span class="amount">€ ${price}</span></div>`)
      .join("")}</div>`,
    sentences: ["Corvo reading lamp, black", "€ 112.00", "Duna lamp with dimmer", "€ 64.25"],
    links: ["https://site.example/lamps/aldo", "https://site.example/lamps/brisa", "https://site.example/lamps/corvo", "https://site.example/lamps/duna"],
  }),
  makePage(application, ENGLISH, {
    name: "room-to-rent",
    kind: "shop",
    title: "Loft above the cooperage, sleeps four",
    main: `<div class="css-q1"><span>4 guests</span> · <span>2 bedrooms</span> · <span>1 bath</span></div><div class="css-q2"><div>€ 140 a night, at least two nights</div></div><div class="css-q3"><p>The loft has its own stair and a window onto the yard where barrels are still made. It is warm in winter and loud from seven on weekdays.</p></div><div class="css-q4"><h2>Rules</h2><ul><li>No shoes on the upper floor.</li><li>Pets are welcome, one at a time.</li></ul></div><div><a href="/map?place=cooperage">Show on the map</a></div>`,
    sentences: ["€ 140 a night, at least two nights", "It is warm in winter and loud from seven on weekdays.", "Pets are welcome, one at a time."],
    links: ["https://site.example/map?place=cooperage"],
  }),
  makePage(shop, GERMAN, {
    name: "fahrrad",
    kind: "shop",
    title: "Tourenrad, 28 Zoll, gebraucht",
    main: `<h1>Tourenrad, 28 Zoll, gebraucht</h1><p class="preis">260 € VB</p><div class="beschreibung"><p>Verkaufe mein Tourenrad, weil ich umziehe. Es hat neue Reifen und eine neue Kette, am Rahmen ist ein Kratzer.</p><p>Nur Abholung in Großau, abends ab 18 Uhr.</p></div><ul class="merkmale"><li>Rahmenhöhe: 56 cm</li><li>Gänge: 24</li></ul><a href="/nutzer/raddirk">Anbieter: raddirk</a>`,
    sentences: ["260 € VB", "Es hat neue Reifen und eine neue Kette, am Rahmen ist ein Kratzer.", "Rahmenhöhe: 56 cm"],
    links: ["https://site.example/nutzer/raddirk"],
  }),
  makePage(hashed, ENGLISH, {
    name: "plans",
    kind: "shop",
    title: "Plans and prices",
    main: `<div class="css-p0"><div class="css-p1"><h2>Starter</h2><div>€ 0 a month</div><ul><li>1 project</li><li>Mail support within three days</li></ul></div><div class="css-p1"><h2>Team</h2><div>€ 29 a month</div><ul><li>20 projects</li><li>Audit log for 90 days</li></ul></div><div class="css-p1"><h2>Company</h2><div>Ask us</div><ul><li>Single sign-on</li><li>A contact by name</li></ul></div></div><h2>Common questions</h2><p>What counts as a project? Everything that shares one set of keys. A project that nobody opened for a year is archived, and does not count.</p><p>Can we change the plan later? At any time: what was paid for the rest of the month is taken off the next bill.</p><p>All plans can be cancelled at the end of a month. <a href="/plans/compare">Compare all features</a>.</p>`,
    sentences: ["€ 29 a month", "Audit log for 90 days", "Mail support within three days", "All plans can be cancelled at the end of a month."],
    links: ["https://site.example/plans/compare"],
  }),
];
