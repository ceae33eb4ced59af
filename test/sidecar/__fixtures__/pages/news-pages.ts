/** News: reports, a live blog, an opinion, old and new layouts. */
import { blog, hashed, newspaper, tables } from "./layouts.ts";
import { makePage, type SamplePage } from "./sample-page.ts";
import { ENGLISH, GERMAN, SPANISH } from "./site-words.ts";

export const NEWS_PAGES: readonly SamplePage[] = [
  makePage(newspaper, ENGLISH, {
    name: "harbour-bridge",
    kind: "news",
    title: "Council votes to rebuild the harbour bridge",
    main: `<p class="lead">The city council decided on Tuesday evening to rebuild the old harbour bridge, which has been closed to lorries since the flood of last spring.</p>
<p>The new bridge will cost 48 million crowns and is to open in four years. Two thirds of the money comes from the national road fund, according to <a href="/documents/bridge-budget.pdf">the budget that the council published</a>.</p>
<figure><img src="/img/bridge.jpg" alt="The closed bridge at low tide"><figcaption>Only pedestrians may cross the bridge at the moment.</figcaption></figure>
<h2>Shopkeepers worry about the detour</h2>
<p>Shopkeepers on the north bank fear that the long works will keep customers away. “We have already lost a fifth of our trade,” said Ana Lindqvist, who runs a bakery next to the ramp.</p>
<p>The engineers want to build the new bridge next to the old one, so that the old one stays open on foot until the last day. A similar plan <a href="https://engineering.example/north-channel">worked at the North Channel</a> nine years ago.</p>
<blockquote><p>A bridge is not only a road. It is how the two halves of this town know each other.</p></blockquote>
<p>Work begins in March, once the nesting season of the terns has been taken into account.</p>`,
    sentences: [
      "The new bridge will cost 48 million crowns and is to open in four years.",
      "Shopkeepers worry about the detour",
      "Only pedestrians may cross the bridge at the moment.",
      "It is how the two halves of this town know each other.",
      "Work begins in March, once the nesting season of the terns has been taken into account.",
    ],
    links: ["https://site.example/documents/bridge-budget.pdf", "https://engineering.example/north-channel"],
  }),
  makePage(newspaper, ENGLISH, {
    name: "short-notice",
    kind: "news",
    title: "Ferry line 4 suspended on Sunday",
    main: `<p>Ferry line 4 does not run this Sunday because divers inspect the pier at Oldmarket.</p><p>Buses leave from the square every twenty minutes, and tickets of the ferry are valid there. Details are on <a href="/ferries/line-4">the page of the line</a>.</p>`,
    sentences: ["Ferry line 4 does not run this Sunday because divers inspect the pier at Oldmarket.", "Buses leave from the square every twenty minutes, and tickets of the ferry are valid there."],
    links: ["https://site.example/ferries/line-4"],
  }),
  makePage(newspaper, ENGLISH, {
    name: "live-blog",
    kind: "news",
    title: "Storm Runa: as it happened",
    main: `<div class="liveblog"><div class="liveblog__entry" id="e1"><time datetime="2026-02-03T18:40">18:40</time><h3>Power is back in the east</h3><p>The grid operator says that all but two hundred homes in the eastern districts have electricity again.</p></div>
<div class="liveblog__entry" id="e2"><time datetime="2026-02-03T16:05">16:05</time><h3>Schools close early</h3><p>All schools west of the river sent their pupils home at three. <a href="/schools/list">The list of schools</a> is updated every hour.</p></div>
<div class="liveblog__entry" id="e3"><time datetime="2026-02-03T14:20">14:20</time><h3>Gusts of 131 km/h at the lighthouse</h3><p>The weather service measured gusts of 131 kilometres an hour at the lighthouse, the strongest since 1999.</p></div>
<div class="liveblog__entry" id="e4"><time datetime="2026-02-03T11:00">11:00</time><h3>Harbour closes</h3><p>The harbour master closed both basins to all ships and asked owners of small boats to double their lines.</p></div></div>`,
    sentences: [
      "The grid operator says that all but two hundred homes in the eastern districts have electricity again.",
      "Gusts of 131 km/h at the lighthouse",
      "The weather service measured gusts of 131 kilometres an hour at the lighthouse, the strongest since 1999.",
      "18:40",
      "The harbour master closed both basins to all ships",
    ],
    links: ["https://site.example/schools/list"],
  }),
  makePage(newspaper, GERMAN, {
    name: "talsperre",
    kind: "news",
    title: "Talsperre ist so voll wie seit zwölf Jahren nicht",
    main: `<p>Nach den Regenfällen der vergangenen Wochen ist die Talsperre oberhalb von Müllershof zu 97 Prozent gefüllt. Das teilte der Wasserverband am Freitag mit.</p>
<p>Für die Orte am Unterlauf bestehe keine Gefahr, sagte die Sprecherin Jördis Weiß. Das Wasser werde seit Montag langsam abgelassen, wie es <a href="/wasser/betriebsplan">der Betriebsplan</a> vorsieht.</p>
<h2>Wanderwege bleiben gesperrt</h2><p>Die Wege am Südufer sind überflutet und bleiben bis Ende des Monats gesperrt. Wer zur Burg möchte, nimmt die Straße über Großau.</p>`,
    sentences: [
      "Nach den Regenfällen der vergangenen Wochen ist die Talsperre oberhalb von Müllershof zu 97 Prozent gefüllt.",
      "Wanderwege bleiben gesperrt",
      "Wer zur Burg möchte, nimmt die Straße über Großau.",
    ],
    links: ["https://site.example/wasser/betriebsplan"],
  }),
  makePage(blog, ENGLISH, {
    name: "opinion-clocks",
    kind: "news",
    title: "Leave the clocks alone",
    main: `<p><em>By Tomas Okafor</em></p><p>Twice a year we agree to be tired for a week, and nobody remembers why. The argument about energy has been settled for decades: the saving is smaller than the error of the measurement.</p>
<p>What remains is habit. Farmers never wanted the change, hospitals plan around it, and every programmer I know has a story that begins at two in the morning. I collected some of them in <a href="/2025/clock-stories">an earlier piece</a>.</p>
<p class="pullquote">The sun does not read our laws.</p>
<p>Let each country choose one time and stay with it. The trains will cope; they have coped with worse.</p>`,
    sentences: [
      "Twice a year we agree to be tired for a week, and nobody remembers why.",
      "The sun does not read our laws.",
      "The trains will cope; they have coped with worse.",
    ],
    links: ["https://site.example/2025/clock-stories"],
  }),
  makePage(tables, ENGLISH, {
    name: "village-paper",
    kind: "news",
    title: "Brass band plays in the new hall",
    main: `<p><font face="Arial">The brass band of Upper Fenwick opens the new village hall on the first Saturday of May. The doors open at six, and the concert begins at seven.</font></p>
<p><font face="Arial">The hall was built in eleven months, most of it by volunteers. Its floor comes from the old school, and its bell from the ferry <i>Constance</i>. Read <a href="hall-history.html">how the hall was built</a>.</font></p>
<p><font face="Arial">Entry is free, but the band is glad of every coin for its new tuba.</font></p>`,
    sentences: [
      "The brass band of Upper Fenwick opens the new village hall on the first Saturday of May.",
      "Entry is free, but the band is glad of every coin for its new tuba.",
    ],
    links: ["https://site.example/hall-history.html"],
  }),
  makePage(hashed, SPANISH, {
    name: "puerto-pesquero",
    kind: "news",
    title: "El puerto pesquero estrena una lonja eléctrica",
    main: `<div class="css-a1"><p>El puerto pesquero inauguró ayer una lonja que funciona únicamente con energía solar y eólica. La obra costó nueve millones de euros.</p></div>
<div class="css-a1"><p>Los pescadores podrán subastar la captura desde sus barcos, antes de atracar. «Ganamos dos horas cada mañana», explicó Íñigo Señoráns, patrón del <i>Nueva Marisma</i>.</p></div>
<div class="css-a1"><p>El ayuntamiento publicará los precios en <a href="https://datos.example/lonja">su portal de datos abiertos</a>.</p></div>`,
    sentences: [
      "El puerto pesquero inauguró ayer una lonja que funciona únicamente con energía solar y eólica.",
      "Los pescadores podrán subastar la captura desde sus barcos, antes de atracar.",
    ],
    links: ["https://datos.example/lonja"],
  }),
];
