/** All sample pages. */
import { DOCS_PAGES } from "./docs-pages.ts";
import { FORUM_PAGES } from "./forum-pages.ts";
import { LANGUAGE_PAGES } from "./language-pages.ts";
import { NEWS_PAGES } from "./news-pages.ts";
import { OTHER_PAGES } from "./other-pages.ts";
import type { SamplePage } from "./sample-page.ts";
import { SCRIPT_PAGES } from "./script-pages.ts";
import { SHOP_PAGES } from "./shop-pages.ts";
import { TABLE_PAGES } from "./table-pages.ts";

export const SAMPLE_PAGES: readonly SamplePage[] = [
  ...NEWS_PAGES,
  ...DOCS_PAGES,
  ...FORUM_PAGES,
  ...TABLE_PAGES,
  ...SHOP_PAGES,
  ...SCRIPT_PAGES,
  ...LANGUAGE_PAGES,
  ...OTHER_PAGES,
];
