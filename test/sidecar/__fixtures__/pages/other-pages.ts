/** What else the web has: notices, events, recipes, questions, offers of work, abstracts, laws, lists of links. */
import { blog, hashed, newspaper, office, plain, tables } from "./layouts.ts";
import { makePage, type SamplePage } from "./sample-page.ts";
import { ENGLISH, GERMAN } from "./site-words.ts";

export const OTHER_PAGES: readonly SamplePage[] = [
  makePage(office, ENGLISH, {
    name: "apply-for-a-permit",
    kind: "other",
    title: "Apply for a street party permit",
    main: `<p>You need a permit to close a street for a party. Apply at least six weeks before the day.</p><h2>What it costs</h2><p>A permit costs £25. Schools and charities pay nothing.</p><h2>Before you apply</h2><ol><li>Ask every household in the street.</li><li>Find out whether a bus uses it.</li><li>Choose somebody who can be reached by phone all day.</li></ol><p><a href="/street-party/apply">Apply online</a> or by post.</p>`,
    sentences: ["Apply at least six weeks before the day.", "A permit costs £25.", "Choose somebody who can be reached by phone all day."],
    links: ["https://site.example/street-party/apply"],
  }),
  makePage(blog, ENGLISH, {
    name: "blog-with-code",
    kind: "other",
    title: "Three ways to sleep in a test",
    main: `<p>Sleeping in tests is a smell, and yet every suite has one. Here are three ways, from worst to best.</p><h2>1. A fixed delay</h2><pre class="brush: js">await sleep(2000); // and hope</pre><p>It is slow when all is well, and too short when the machine is busy.</p><h2>2. Polling</h2><p>Ask until the answer is yes, with a limit. It is fine for what lies outside the process.</p><h2>3. An event</h2><p>Wait for what you mean. Most of the time it has a name already; see <a href="https://events.example/once">once</a>.</p>`,
    sentences: ["await sleep(2000); // and hope", "It is slow when all is well, and too short when the machine is busy.", "Most of the time it has a name already"],
    links: ["https://events.example/once"],
  }),
  makePage(office, ENGLISH, {
    name: "questions",
    kind: "other",
    title: "Questions about the water meter",
    main: `<details open><summary>Who reads the meter?</summary><p>You do, once a year in November. We send you a card with a code.</p></details><details><summary>What if the meter stands still?</summary><p>Call us the same day. Until it is replaced we bill the average of the last three years.</p></details><details><summary>May I move it?</summary><p>Only a fitter with a licence may move it. <a href="/fitters">The list of fitters</a> is kept by the guild.</p></details>`,
    sentences: ["Who reads the meter?", "Until it is replaced we bill the average of the last three years.", "Only a fitter with a licence may move it."],
    links: ["https://site.example/fitters"],
  }),
  makePage(hashed, ENGLISH, {
    name: "event",
    kind: "other",
    title: "Night of the open workshops",
    main: `<dl class="facts"><dt>When</dt><dd>Friday 12 June, 18:00 to 24:00</dd><dt>Where</dt><dd>Tannery Lane and the yards behind it</dd><dt>Price</dt><dd>€ 6, children free</dd></dl><p>Thirty workshops open their doors for one night: bookbinders, a piano maker, two forges and the last hat maker in town.</p><p>Bring a shirt, and the printers will print on it. The <a href="/open-workshops/programme.pdf">programme</a> has a map.</p>`,
    sentences: ["Friday 12 June, 18:00 to 24:00", "€ 6, children free", "Bring a shirt, and the printers will print on it."],
    links: ["https://site.example/open-workshops/programme.pdf"],
  }),
  makePage(plain, ENGLISH, {
    name: "abstract",
    kind: "other",
    title: "Lichen growth on north-facing tombstones: forty years of photographs",
    main: `<p>J. Aalto, R. Mbeki, S. Tanaka</p><h2>Abstract</h2><p>We compare photographs of 212 tombstones that were taken from the same places in 1984, 2004 and 2024. The mean radius of <i>Xanthoria</i> grew by 0.7 mm a year until 2004 and by 1.1 mm afterwards.</p><p>The difference is explained by sulphur in the air (r<sup>2</sup> = 0.81), and not by rain.</p><h2>Data</h2><p>All photographs are <a href="https://archive.example/lichen-212">archived with their positions</a>.</p>`,
    sentences: ["We compare photographs of 212 tombstones that were taken from the same places in 1984, 2004 and 2024.", "grew by 0.7 mm a year until 2004 and by 1.1 mm afterwards."],
    links: ["https://archive.example/lichen-212"],
  }),
  makePage(plain, GERMAN, {
    name: "satzung",
    kind: "other",
    title: "Satzung des Vereins der Brunnenfreunde",
    main: `<h2>§ 1 Name und Sitz</h2><p>(1) Der Verein führt den Namen „Brunnenfreunde“. (2) Er hat seinen Sitz in Großau.</p><h2>§ 2 Zweck</h2><p>Zweck des Vereins ist die Pflege der öffentlichen Brunnen. Die Liste der Brunnen ist <a href="anlage1.html">Anlage 1</a>.</p><h2>§ 3 Mitglieder</h2><p>Mitglied kann jede Person werden, die das 14. Lebensjahr vollendet hat.</p>`,
    sentences: ["Zweck des Vereins ist die Pflege der öffentlichen Brunnen.", "Mitglied kann jede Person werden, die das 14. Lebensjahr vollendet hat."],
    links: ["https://site.example/anlage1.html"],
  }),
  makePage(newspaper, ENGLISH, {
    name: "list-of-links",
    kind: "other",
    title: "All walks around the reservoir",
    main: `<p>Choose a walk. Times are without breaks.</p><ul class="walk-list"><li><a href="/walks/dam">Over the dam and back</a>, 40 minutes, flat</li><li><a href="/walks/heron">The heron path</a>, two hours, muddy in spring</li><li><a href="/walks/ridge">Along the ridge</a>, four hours, steep at the end</li><li><a href="/walks/chapel">To the drowned chapel</a>, ninety minutes, only at low water</li></ul>`,
    sentences: ["Times are without breaks.", "two hours, muddy in spring", "ninety minutes, only at low water"],
    links: ["https://site.example/walks/dam", "https://site.example/walks/heron", "https://site.example/walks/ridge", "https://site.example/walks/chapel"],
  }),
  makePage(tables, ENGLISH, {
    name: "hobby-page",
    kind: "other",
    title: "My collection of slide rules",
    main: `<p>I have collected slide rules since 1978. The oldest is from 1911 and still accurate to three digits.</p><p><img src="rule.gif" alt="A slide rule of boxwood"></p><p>The one in the picture has a scale for the strength of beer. I have never found another. If you have, <a href="mailto:rules@site.example">write to me</a>.</p>`,
    sentences: ["The oldest is from 1911 and still accurate to three digits.", "The one in the picture has a scale for the strength of beer."],
    links: ["mailto:rules@site.example"],
  }),
  makePage(blog, ENGLISH, {
    name: "offer-of-work",
    kind: "other",
    title: "We look for a boatbuilder (part-time)",
    main: `<p>Our yard repairs wooden boats up to twelve metres. We look for somebody for three days a week, from August.</p><h3>You</h3><ul><li>have repaired planks and frames,</li><li>are not afraid of paperwork or of mud.</li></ul><h3>We</h3><ul><li>pay 24 crowns an hour,</li><li>close for the whole of January.</li></ul><p>Send two pictures of your work to <a href="mailto:yard@site.example">yard@site.example</a>.</p>`,
    sentences: ["Our yard repairs wooden boats up to twelve metres.", "are not afraid of paperwork or of mud.", "pay 24 crowns an hour,"],
    links: ["mailto:yard@site.example"],
  }),
];
