/** Documentation: guides, references, command pages, change lists. */
import { encyclopedia, manual, plain } from "./layouts.ts";
import { makePage, type SamplePage } from "./sample-page.ts";
import { ENGLISH } from "./site-words.ts";

export const DOCS_PAGES: readonly SamplePage[] = [
  makePage(manual, ENGLISH, {
    name: "queue-guide",
    kind: "docs",
    title: "Consume messages from a queue",
    main: `<p>A consumer receives messages in batches. This guide shows how to write one and how to acknowledge each message.</p>
<h2 id="install">Install the client<a class="hash-link" href="#install" aria-hidden="true">#</a></h2>
<div class="tabs"><pre><code class="language-sh">npm install @courier/client</code></pre></div>
<h2 id="write">Write the consumer</h2><p>Call <code>consume</code> with the name of the queue and a handler. The handler is awaited before the next batch is requested.</p>
<pre><code class="language-js">import { consume } from "@courier/client";

await consume("orders", async (batch) =&gt; {
  for (const message of batch) {
    if (await store(message)) message.ack();
  }
});</code></pre>
<div class="admonition warning"><p>A message that is neither acknowledged nor rejected within 30 seconds is delivered again.</p></div>
<h2 id="next">Where to look next</h2><ul><li><a href="/docs/retries">Retry policies</a> explain delays and dead letters.</li><li><a href="../reference/consume">The reference of consume</a> lists every option.</li></ul>`,
    sentences: [
      "A consumer receives messages in batches.",
      "npm install @courier/client",
      "    if (await store(message)) message.ack();",
      "A message that is neither acknowledged nor rejected within 30 seconds is delivered again.",
      "Retry policies",
    ],
    links: ["https://site.example/docs/retries", "https://site.example/reference/consume"],
  }),
  makePage(manual, ENGLISH, {
    name: "endpoint-reference",
    kind: "docs",
    title: "Create an invoice",
    main: `<p><code>POST /v2/invoices</code> creates a draft invoice. Nothing is sent to the customer until the invoice is finalised.</p>
<h2>Parameters</h2><table><thead><tr><th>Name</th><th>Type</th><th>Description</th></tr></thead><tbody>
<tr><td><code>customer</code></td><td>string</td><td>The id of the customer, which begins with <code>cus_</code>.</td></tr>
<tr><td><code>due_days</code></td><td>integer</td><td>Days until payment is due. Between 1 and 90, default 14.</td></tr>
<tr><td><code>currency</code></td><td>string</td><td>A code of <a href="https://codes.example/4217">ISO 4217</a>, in lower case.</td></tr></tbody></table>
<h2>Errors</h2><dl><dt>404 customer_unknown</dt><dd>No customer has this id. Create the customer first.</dd><dt>409 key_reused</dt><dd>The idempotency key was used with another body.</dd></dl>
<pre><code class="language-json">{ "id": "inv_81", "status": "draft", "total": 12900 }</code></pre>`,
    sentences: [
      "Nothing is sent to the customer until the invoice is finalised.",
      "| Name | Type | Description |",
      "| `due_days` | integer | Days until payment is due. Between 1 and 90, default 14. |",
      "The idempotency key was used with another body.",
      `{ "id": "inv_81", "status": "draft", "total": 12900 }`,
    ],
    links: ["https://codes.example/4217"],
  }),
  makePage(plain, ENGLISH, {
    name: "command-page",
    kind: "docs",
    title: "tidy(1)",
    main: `<h2>NAME</h2><p>tidy - sort a directory by the age of its files</p><h2>SYNOPSIS</h2><pre>tidy [-n] [--older-than DAYS] DIRECTORY</pre>
<h2>DESCRIPTION</h2><p>Moves each regular file of the directory into a folder that is named after the year of its last change. Links are not followed.</p>
<h2>OPTIONS</h2><dl><dt>-n</dt><dd>Prints what would be moved, and moves nothing.</dd><dt>--older-than DAYS</dt><dd>Leaves files that changed within that many days where they are.</dd></dl>
<h2>SEE ALSO</h2><p><a href="find.1.html">find(1)</a>, <a href="mv.1.html">mv(1)</a></p>`,
    sentences: ["tidy [-n] [--older-than DAYS] DIRECTORY", "Prints what would be moved, and moves nothing.", "Links are not followed."],
    links: ["https://site.example/find.1.html", "https://site.example/mv.1.html"],
  }),
  makePage(manual, ENGLISH, {
    name: "change-list",
    kind: "docs",
    title: "Release notes of version 7",
    main: `<h2>7.2.0</h2><ul><li>Watches restart only what a changed file concerns (<a href="/pull/4410">#4410</a>).</li><li>The option <code>--frozen</code> refuses a lockfile that does not match.</li></ul>
<h2>7.1.3</h2><ul><li>A path with a percent sign is opened again on Windows.</li><li>Memory no longer grows while a build waits for input (<a href="/pull/4391">#4391</a>).</li></ul>
<h2>7.1.0</h2><p>This release needs version 22 of the runtime. Read <a href="/docs/upgrade">how to upgrade</a> before you install it.</p>`,
    sentences: ["Watches restart only what a changed file concerns", "A path with a percent sign is opened again on Windows.", "This release needs version 22 of the runtime."],
    links: ["https://site.example/pull/4410", "https://site.example/pull/4391", "https://site.example/docs/upgrade"],
  }),
  makePage(manual, ENGLISH, {
    name: "settings-reference",
    kind: "docs",
    title: "Settings of the scheduler",
    main: `<p>All settings are read once at start. A setting that is not listed here is refused.</p>
<section><h3><code>max_parallel</code></h3><p>How many runs may be under way at once. Default: 8.</p></section>
<section><h3><code>grace_seconds</code></h3><p>How long a run may take to end after it was asked to. Default: 20.</p></section>
<section><h3><code>time_zone</code></h3><p>The zone of all times without an offset, by its name in the <a href="https://zones.example/db">zone database</a>.</p></section>
<aside class="note"><p>Changing the zone moves every schedule that names a time of day.</p></aside>`,
    sentences: ["A setting that is not listed here is refused.", "How long a run may take to end after it was asked to.", "Changing the zone moves every schedule that names a time of day."],
    links: ["https://zones.example/db"],
  }),
  makePage(encyclopedia, ENGLISH, {
    name: "lens-grinder",
    kind: "docs",
    title: "Marta Ilves",
    main: `<table class="infobox"><tr><th>Born</th><td>4 June 1871</td></tr><tr><th>Known for</th><td>Aspherical lenses</td></tr></table>
<p><b>Marta Ilves</b> (4 June 1871 – 19 October 1948) was a lens grinder and inventor. She is known for the first machine that ground aspherical lenses, which <a href="/wiki/Optical_works">the optical works at Tarnau</a> used until 1962.</p>
<div id="toc" class="toc"><h2>Contents</h2><ul><li><a href="#Life">Life</a></li><li><a href="#Work">Work</a></li><li><a href="#Legacy">Legacy</a></li><li><a href="#Notes">Notes</a></li></ul></div>
<h2><span id="Life">Life</span><span class="mw-editsection">[<a href="/edit?section=1">edit</a>]</span></h2><p>Ilves was the third of five children of a clockmaker. She learned grinding in her father's workshop and never attended a university.<sup><a href="#cite1">[1]</a></sup></p>
<h2><span id="Work">Work</span><span class="mw-editsection">[<a href="/edit?section=2">edit</a>]</span></h2><p>Her machine of 1904 moved the glass along a cam that she had filed by hand. Of the eleven that were built, <a href="/wiki/Museum_of_Glass">the Museum of Glass</a> has two.</p>`,
    sentences: ["was a lens grinder and inventor.", "Her machine of 1904 moved the glass along a cam that she had filed by hand.", "Ilves was the third of five children of a clockmaker.", "Aspherical lenses"],
    links: ["https://site.example/wiki/Optical_works", "https://site.example/wiki/Museum_of_Glass"],
  }),
];
