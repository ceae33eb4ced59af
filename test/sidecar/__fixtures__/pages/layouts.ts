/** How sites arrange their pages: the frames around the main content, with semantic elements, with classes only, or with neither. */
import type { Layout, PageContent } from "./sample-page.ts";
import type { SiteWords } from "./site-words.ts";

/** A script with state as single-page applications embed it, of about `rows` × 90 bytes. */
export function embedState(rows: number): string {
  const state = Array.from({ length: rows }, (_, id) => ({ id, slug: `entry-${id}`, label: `Prefetched label ${id}` }));
  return `<script>window.__STATE__=${JSON.stringify({ queries: state })};</script>`;
}

const STYLE = `<style>${".c{display:flex;margin:0 auto;color:#223}".repeat(40)}</style>`;
const TRACKER = `<script async src="/t.js"></script><script>(function(w){w.dl=w.dl||[];w.dl.push({e:"view"});})(window);</script>`;

function head({ title, name }: PageContent, { language, site }: SiteWords, more = ""): string {
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${title} | ${site}</title>
<meta name="viewport" content="width=device-width"><meta property="og:title" content="${title}">
<meta property="og:site_name" content="${site}"><link rel="canonical" href="/${name}">${STYLE}${more}</head>`;
}

function links(texts: readonly string[], path: string, item = "li"): string {
  return texts.map((text, at) => `<${item} class="item item-${at}"><a href="/${path}/${at}">${text}</a></${item}>`).join("\n");
}

/** A newspaper: consent, header with sections, share bar, related stories between the paragraphs' end and the footer. */
export const newspaper: Layout = (content, words) => `${head(content, words, TRACKER)}
<body class="page page--article has-sidebar">
<div id="cookie-consent" class="cookie-banner" role="dialog"><p>${words.cookies}</p><button>${words.accept}</button></div>
<header class="site-header"><a class="logo" href="/">${words.site}</a><nav class="main-nav"><ul>${links(words.menu, "section")}</ul></nav></header>
<main id="content"><article class="story">
<h1 class="story__headline" data-title>${content.title}</h1>
<div class="story__share share-bar"><ul>${links(words.share, "share")}</ul></div>
<div class="story__body">${content.main}</div>
<aside class="story__newsletter newsletter"><p>${words.newsletter}</p><form><input type="email"><button>OK</button></form></aside>
</article>
<section class="related-stories"><div class="cards">${words.related
  .map((title, at) => `<div class="card"><a href="/story/${at}"><img src="/i/${at}.jpg" alt=""><h3>${title}</h3></a></div>`)
  .join("\n")}</div></section></main>
<footer class="site-footer"><ul>${links(words.footer, "about")}</ul></footer>${TRACKER}</body></html>`;

/** Documentation: a tree of pages on the left, the page's contents on the right, links to the next page below. */
export const manual: Layout = (content, words) => `${head(content, words)}
<body><a class="skip-link" href="#main">Skip to content</a>
<div class="navbar"><a class="brand" href="/">${words.site}</a><input type="search" placeholder="Search docs"></div>
<div class="layout"><div class="sidebar docs-sidebar"><ul>${links(words.menu, "docs")}${links(words.related, "guides")}</ul></div>
<main id="main"><div class="breadcrumbs"><a href="/">Docs</a> / <a href="/docs/guides">Guides</a></div>
<div class="theme-doc-markdown markdown"><h1 data-title>${content.title}<a class="hash-link" aria-hidden="true" href="#top">#</a></h1>${content.main}</div>
<div class="edit-page"><a href="/edit">Edit this page</a></div>
<div class="pagination-nav"><a href="/docs/previous">Previous: ${words.menu[1] ?? ""}</a><a href="/docs/next">Next: ${words.menu[2] ?? ""}</a></div></main>
<div class="toc"><ul><li><a href="#one">${words.menu[3] ?? ""}</a></li><li><a href="#two">${words.menu[4] ?? ""}</a></li></ul></div></div>
<div class="footer"><ul>${links(words.footer, "legal")}</ul></div></body></html>`;

/** A forum: only classes; a column of hot topics, and buttons in each post that belong to the content's own markup. */
export const forum: Layout = (content, words) => `${head(content, words, TRACKER)}
<body><div class="topbar"><div class="container"><a href="/">${words.site}</a><ul class="nav">${links(words.menu, "c")}</ul><a href="/login">Log in</a></div></div>
<div class="container"><div class="breadcrumb"><a href="/">Boards</a> › <a href="/c/1">${words.menu[1] ?? ""}</a></div>
<div class="thread"><h1 class="thread-title" data-title>${content.title}</h1>${content.main}</div>
<div class="sidebar-right"><div class="widget hot-topics"><h4>Trending</h4><ul>${links(words.related, "t")}</ul></div></div></div>
<div id="footer" class="footer"><ul>${links(words.footer, "p")}</ul><p>${words.cookies}</p></div></body></html>`;

/** A shop: a mega menu, a cart, crumbs, a carousel of what others bought. */
export const shop: Layout = (content, words) => `${head(content, words, embedState(60))}
<body class="pdp"><div role="banner"><div class="megamenu"><ul>${links(words.menu, "cat")}</ul></div><div class="minicart"><a href="/cart">Basket (0)</a></div></div>
<nav aria-label="Breadcrumb"><ol>${links(words.menu.slice(0, 3), "crumb")}</ol></nav>
<div id="root"><div class="product">${content.main}</div>
<div class="carousel recommendations" data-widget="also-bought"><h2>Customers also bought</h2>${words.related
  .map((title, at) => `<div class="tile"><a href="/p/${at}"><img src="/p/${at}.webp" alt="${title}"><span>${title}</span></a><span>€ 1${at},99</span></div>`)
  .join("")}</div>
<div class="newsletter-box"><p>${words.newsletter}</p><form><input><button>Join</button></form></div></div>
<div role="contentinfo"><ul>${links(words.footer, "info")}</ul></div>${TRACKER}</body></html>`;

/** A page of the nineties: tables and fonts place everything. */
export const tables: Layout = (content, words) => `<html lang="${words.language}"><head><title>${content.title} - ${words.site}</title></head>
<body bgcolor="#ffffff"><table width="100%" border="0"><tr><td colspan="2" class="masthead"><font size="5">${words.site}</font></td></tr>
<tr><td width="140" valign="top" class="menu"><font size="2">${words.menu.map((text, at) => `<a href="/${at}.html">${text}</a><br>`).join("\n")}</font></td>
<td valign="top"><h1 data-title>${content.title}</h1>${content.main}</td></tr>
<tr><td colspan="2" class="footer" align="center"><font size="1">${words.footer.map((text, at) => `<a href="/f${at}.html">${text}</a>`).join(" | ")}</font></td></tr></table></body></html>`;

/** A single-page application, rendered on the server: hashed classes, state before and after, a consent wall that hides the root. */
export const application: Layout = (content, words) => `${head(content, words, embedState(120) + TRACKER)}
<body><noscript>You need to enable JavaScript to run this app.</noscript>
<div id="__next" aria-hidden="true"><div class="css-1x9a"><div class="css-77ab" role="navigation">${links(words.menu, "r", "span")}</div>
${embedState(200)}<div class="css-k2lm"><div class="css-0aa1"><h1 class="css-9zz" data-title>${content.title}</h1>${content.main}</div></div>${embedState(200)}
<div class="css-33f" role="complementary"><ul>${links(words.related, "x")}</ul></div>
<div class="css-99q" role="contentinfo">${links(words.footer, "l", "span")}</div></div></div>
<div role="dialog" aria-modal="true" class="css-wall"><h2>${words.cookies}</h2><button>${words.accept}</button></div>
<script id="__DATA__" type="application/json">${JSON.stringify({ props: { title: content.title } })}</script>${TRACKER.repeat(6)}</body></html>`;

/** An encyclopedia: contents, links to edit each section, boxes of links at the end. */
export const encyclopedia: Layout = (content, words) => `${head(content, words)}
<body class="mediawiki"><div id="mw-page-base" class="noprint"></div>
<div id="content" class="mw-body" role="main"><div id="siteNotice" class="mw-dismissable-notice overlay">${words.newsletter}</div>
<h1 id="firstHeading" data-title>${content.title}</h1><div id="bodyContent"><div class="mw-jump-link skip"><a href="#nav">Jump to navigation</a></div>
<div id="mw-content-text">${content.main}
<div class="navbox" role="navigation"><ul>${links(words.related, "wiki")}</ul></div></div>
<div id="catlinks" class="catlinks sidebar"><ul>${links(words.menu.slice(3), "category")}</ul></div></div></div>
<div id="mw-navigation" role="navigation"><ul>${links(words.menu, "portal")}</ul></div><footer id="footer"><ul>${links(words.footer, "f")}</ul></footer></body></html>`;

/** A public office: a banner, a question whether the page was useful, a large footer. */
export const office: Layout = (content, words) => `${head(content, words)}
<body><div class="skip"><a href="#c">Skip to main content</a></div><div class="cookie-message" role="region"><p>${words.cookies}</p><button>${words.accept}</button></div>
<header role="banner"><a href="/">${words.site}</a><div class="search" role="search"><label>Search</label><input></div></header>
<div class="wrapper"><main id="c" role="main"><h1 class="heading-xl" data-title>${content.title}</h1>${content.main}
<div class="feedback"><h2>Is this page useful?</h2><button>Yes</button><button>No</button><a href="/problem">Report a problem with this page</a></div></main>
<aside role="complementary"><h2>Related content</h2><ul>${links(words.related, "guidance")}</ul></aside></div>
<footer role="contentinfo"><ul>${links([...words.menu, ...words.footer], "topics")}</ul></footer></body></html>`;

/** A blog: the site's name is a heading, a column of widgets, a form for comments. */
export const blog: Layout = (content, words) => `${head(content, words)}
<body class="single single-post"><header id="masthead" class="site-header"><p class="site-title"><a href="/">${words.site}</a></p><ul class="menu">${links(words.menu, "tag")}</ul></header>
<div id="primary"><article class="post hentry"><header class="entry-header"><h1 class="entry-title" data-title>${content.title}</h1></header>
<div class="entry-content">${content.main}</div>
<footer class="entry-footer"><div class="sharedaddy share"><ul>${links(words.share, "share")}</ul></div></footer></article>
<div id="respond" class="comment-respond"><form><textarea></textarea><input type="submit" value="Post Comment"></form></div></div>
<div id="secondary" class="widget-area"><section class="widget"><h2>Archive</h2><ul>${links(words.related, "archive")}</ul></section><section class="widget subscribe"><p>${words.newsletter}</p></section></div>
<footer id="colophon"><ul>${links(words.footer, "colophon")}</ul></footer></body></html>`;

/** Hardly anything around the content. */
export const plain: Layout = (content, { language, footer }) => `<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN">
<html lang="${language}"><head><title>${content.title}</title></head><body><h1 data-title>${content.title}</h1>
${content.main}
<hr><address><a href="/imprint">${footer[0] ?? ""}</a></address></body></html>`;

/** Hashed classes and nothing that says what a part is for: links, teasers with a sentence each, links again. */
export const hashed: Layout = (content, words) => `${head(content, words, embedState(80))}
<body class="_2fX"><div class="_a1"><div class="_b7">${words.site}</div><div class="_c3">${links(words.menu, "s", "div")}</div></div>
<div class="_d9"><div class="_e2"><h1 class="_f5" data-title>${content.title}</h1><div class="_g8">${content.main}</div></div>
<div class="_h4"><div class="_i0">${words.related.map((title, at) => `<div class="_j6"><a href="/n/${at}"><div class="_k1">${title}</div></a></div>`).join("")}</div></div></div>
<div class="_l3"><div class="_m2">${words.newsletter}</div><div class="_n8">${links(words.footer, "z", "div")}</div></div>
<div class="_o5"><div>${words.cookies}</div><button>${words.accept}</button></div>${TRACKER}</body></html>`;
