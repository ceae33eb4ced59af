/**
 * Keeps the comments and tracked changes of a Word document, which pandoc drops, in the notation of CriticMarkup: {++inserted++},
 * {--deleted--}, {==text==}{>>comment<<}. The filter runs inside pandoc's process (https://pandoc.org/lua-filters.html).
 */
import type { Conversion } from "./pandoc.ts";

const NAME = "changes.lua";
/** Begins the filter's message about what it found. */
const FOUND = "found-changes";

/** Comments without an end of their range are added at the end of the document. */
const FILTER = `
local found = {insertion = 0, deletion = 0, comment = 0}
local open, order = {}, {}
local function raw(text) return pandoc.RawInline("markdown", text) end
local function wrap(before, content, after)
  local list = pandoc.List({raw(before)})
  list:extend(content)
  list:insert(raw(after))
  return list
end
local function take(id)
  local comment = open[id]
  open[id] = nil
  return comment
end
local function span(el)
  local has = function(name) return el.classes:includes(name) end
  if has("paragraph-insertion") or has("paragraph-deletion") then return {} end
  if has("insertion") then
    found.insertion = found.insertion + 1
    return wrap("{++", el.content, "++}")
  end
  if has("deletion") then
    found.deletion = found.deletion + 1
    return wrap("{--", el.content, "--}")
  end
  if has("comment-start") then
    found.comment = found.comment + 1
    local text = pandoc.List({pandoc.Str((el.attributes.author or "?") .. ": ")})
    text:extend(el.content)
    open[el.identifier] = text
    order[#order + 1] = el.identifier
    return {raw("{==")}
  end
  if has("comment-end") then
    local comment = take(el.identifier)
    return comment and wrap("==}{>>", comment, "<<}") or {}
  end
end
local function finish(doc)
  for _, id in ipairs(order) do
    local comment = take(id)
    if comment then doc.blocks:insert(pandoc.Para(wrap("{>>", comment, "<<}"))) end
  end
  pandoc.log.warn("${FOUND} " .. found.insertion .. " " .. found.deletion .. " " .. found.comment)
  return doc
end
return {{Span = span}, {Pandoc = finish}}
`;

/** Comments, and inserted, deleted and moved runs (ECMA-376, part 1, 17.13.4 and 17.13.5), with any prefix. */
const MARK = /[<:](?:comment|ins|del|moveFrom|moveTo)[\s/>]/;
const MARK_BYTES = 16;

/**
 * Looks for comments and tracked changes in the streamed parts of a document of any name: without any, the
 * filter is left out, because it doubles the time of a conversion.
 */
export class ChangeScan {
  hasChanges = false;
  #end = "";

  scan(chunk: Uint8Array): void {
    if (this.hasChanges) return;
    const text = this.#end + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
    this.hasChanges = MARK.test(text);
    this.#end = text.slice(-MARK_BYTES);
  }
}

/** What a conversion needs to keep them. */
export const CHANGES: Required<Pick<Conversion, "resources" | "options">> = {
  resources: [{ name: NAME, bytes: new TextEncoder().encode(FILTER) }],
  options: { "track-changes": "all", filters: [NAME] },
};

/** Says how the Markdown marks them. `messages` are those of the conversion. */
export function noteChanges(messages: readonly string[]): string[] {
  const pattern = new RegExp(`${FOUND} (\\d+) (\\d+) (\\d+)`);
  const [, insertions = "0", deletions = "0", comments = "0"] =
    messages.map((message) => pattern.exec(message)).find((match) => match !== null) ?? [];
  const changes = Number(insertions) + Number(deletions);
  return [
    ...(changes === 0
      ? []
      : [`The document has ${changes} tracked changes that nobody accepted yet: {++inserted++} and {--deleted--}.`]),
    ...(comments === "0" ? [] : [`The document has ${comments} comments: {==text==}{>>author: comment<<}.`]),
  ];
}
