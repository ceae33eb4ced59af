/** Forums: questions with answers, threads, an archive of mails, an issue. */
import { forum, hashed, plain, tables } from "./layouts.ts";
import { makePage, type SamplePage } from "./sample-page.ts";
import { ENGLISH } from "./site-words.ts";

function post(author: string, text: string, votes: number): string {
  return `<div class="post" data-id="${votes}"><div class="post-author"><a href="/u/${author}">${author}</a></div><div class="post-body">${text}</div><div class="post-actions"><button>Reply</button><button>Report</button></div></div>`;
}

export const FORUM_PAGES: readonly SamplePage[] = [
  makePage(forum, ENGLISH, {
    name: "question-and-answers",
    kind: "forum",
    title: "Why does my sourdough spread instead of rising?",
    main:
      post("mellow_oat", `<p>My loaf is flat every time. I use 80 % water and let it prove for six hours at 24 degrees. What am I doing wrong?</p>`, 12) +
      post("rye_and_shine", `<p>Six hours is too long at that temperature. The dough has collapsed before it reaches the oven. Try four, and look for a dome, not for the clock.</p>`, 41) +
      post("brickoven", `<p>I agree, and would use less water until the shaping works. <a href="https://bread.example/shaping">This guide to shaping</a> helped me more than any recipe.</p>`, 17) +
      post("mellow_oat", `<p>Four hours and 72 % did it. Thank you both!</p>`, 5),
    sentences: ["I use 80 % water and let it prove for six hours at 24 degrees.", "The dough has collapsed before it reaches the oven.", "Four hours and 72 % did it.", "rye_and_shine"],
    links: ["https://bread.example/shaping"],
  }),
  makePage(forum, ENGLISH, {
    name: "nested-thread",
    kind: "forum",
    title: "Moving a database between regions without downtime",
    main: `<div class="comment-tree"><div class="comment depth0"><p class="comhead"><a href="/user/pagoda">pagoda</a></p><p>We moved two terabytes last month. Logical replication, then a switch of the connection string at night.</p>
<div class="comment depth1"><p class="comhead"><a href="/user/ttl0">ttl0</a></p><p>How did you handle sequences? They are not replicated, and we got duplicate keys.</p>
<div class="comment depth2"><p class="comhead"><a href="/user/pagoda">pagoda</a></p><p>We set each of them ahead by ten million before the switch. Crude, but it works. The script is <a href="https://code.example/sequences">here</a>.</p></div></div></div>
<div class="comment depth0"><p class="comhead"><a href="/user/quiet_fan">quiet_fan</a></p><p>If you can stop writes for a minute, do that. A minute of downtime is cheaper than a month of being clever.</p></div></div>`,
    sentences: ["We moved two terabytes last month.", "They are not replicated, and we got duplicate keys.", "We set each of them ahead by ten million before the switch.", "A minute of downtime is cheaper than a month of being clever."],
    links: ["https://code.example/sequences"],
  }),
  makePage(tables, ENGLISH, {
    name: "old-board",
    kind: "forum",
    title: "Carburettor floods when cold",
    main: `<table border="1" cellpadding="4"><tr><td valign="top"><b>smallengine</b><br>Posts: 310</td><td>The float is most likely stuck. Tap the bowl with the handle of a screwdriver before you take anything apart.</td></tr>
<tr><td valign="top"><b>dieselanna</b><br>Posts: 12</td><td>Tapping helped for a day. Now it floods again, but only below five degrees.</td></tr>
<tr><td valign="top"><b>smallengine</b><br>Posts: 311</td><td>Then replace the needle valve. The part number is in <a href="manual-p42.html">the manual, page 42</a>.</td></tr></table>`,
    sentences: ["Tap the bowl with the handle of a screwdriver before you take anything apart.", "Now it floods again, but only below five degrees.", "Then replace the needle valve."],
    links: ["https://site.example/manual-p42.html"],
  }),
  makePage(plain, ENGLISH, {
    name: "mail-archive",
    kind: "forum",
    title: "[parsers] proposal: reject bare carriage returns",
    main: `<p><b>From:</b> Wren Halloran<br><b>Date:</b> Mon, 9 Mar 2026 10:12:44 +0100</p>
<pre>Hello all,

section 4 of the draft lets a bare CR end a line. Three of the five
implementations that I tried do not, and one drops the connection.

&gt; I would rather keep it, because old senders exist.

Which ones? I found none in a year of logs.

Wren
</pre><p><a href="msg00412.html">Next in thread</a> <a href="msg00409.html">Previous in thread</a></p>`,
    sentences: ["section 4 of the draft lets a bare CR end a line. Three of the five", "> I would rather keep it, because old senders exist.", "Wren Halloran"],
    links: ["https://site.example/msg00412.html"],
  }),
  makePage(forum, ENGLISH, {
    name: "issue-thread",
    kind: "forum",
    title: "Crash when a folder is renamed during indexing",
    main: `<div class="issue"><div class="issue-labels"><span>bug</span> <span>index</span></div>
<div class="timeline-comment"><h3><a href="/n-okoye">n-okoye</a> opened this</h3><div class="markdown-body"><p>Rename a folder while the index is built, and the process exits with code 134.</p><pre><code>thread 'indexer' panicked at 'no entry for path', src/walk.rs:88</code></pre></div></div>
<div class="timeline-comment"><h3><a href="/maintainer-ida">maintainer-ida</a> commented</h3><div class="markdown-body"><p>Confirmed on 2.9. The walker holds paths, not handles, so a rename pulls the floor away. Fixed in <a href="/pull/1207">#1207</a>, which will be part of 2.10.</p></div></div></div>`,
    sentences: ["Rename a folder while the index is built, and the process exits with code 134.", "thread 'indexer' panicked at 'no entry for path', src/walk.rs:88", "The walker holds paths, not handles, so a rename pulls the floor away."],
    links: ["https://site.example/pull/1207"],
  }),
  makePage(hashed, ENGLISH, {
    name: "interview",
    kind: "forum",
    title: "Ask the keeper: your questions about the aquarium",
    main: `<p>We collected your questions about the new aquarium, and Imke Sørensen, who looks after the rays, answered them.</p>
<p><strong>Do the rays know you?</strong></p><p>They know the bucket. Whether they know me is a question I prefer not to test.</p>
<p><strong>How is the water cleaned?</strong></p><p>Through sand, and then through a tank of eelgrass that we are rather proud of. <a href="/aquarium/filter">The plan of the filter</a> hangs in the hall.</p>
<p><strong>What happens at night?</strong></p><p>The lights follow the moon, with a day of delay because of the reef fish.</p>`,
    sentences: ["They know the bucket.", "Through sand, and then through a tank of eelgrass that we are rather proud of.", "The lights follow the moon, with a day of delay because of the reef fish."],
    links: ["https://site.example/aquarium/filter"],
  }),
];
