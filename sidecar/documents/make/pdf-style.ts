/**
 * The style of PDFs: Typst code before pandoc's output (https://typst.app/docs/reference). The document's properties are passed as values
 * (`sys.inputs`), never as code.
 */
import { LETTER_SIZES } from "./table-widths.ts";

const smallerTables = LETTER_SIZES.map(
  ({ columns, points }) => `if columns > ${columns} { (${points}pt, ${points / 2}pt) }`,
).join(" else ");

export const PDF_STYLE = `
#let about = sys.inputs
#let accent = rgb("#1f4e79")
#let faint = luma(195)
#let horizontalrule = line(length: 100%, stroke: 0.5pt + faint)
#set document(title: about.title, author: if about.author == "" { () } else { about.author }, description: about.subject, date: auto)
#set page(
  paper: about.paper,
  flipped: about.landscape == "yes",
  margin: (x: 2.2cm, top: 2.2cm, bottom: 2.4cm),
  footer: context align(center, text(size: 8.5pt, fill: luma(110), dir: ltr, counter(page).display("1 / 1", both: true))),
)
#set text(font: ("Liberation Sans", "Noto Emoji", "DejaVu Sans", "Noto Sans CJK SC"), size: 10.5pt, fill: rgb("#1f2933"), lang: about.language)
#set par(leading: 0.72em, spacing: 1.15em)
#show heading: set text(fill: accent)
#show heading: set block(above: 1.5em, below: 0.8em, sticky: true)
#show heading.where(level: 1): set text(size: 17pt)
#show heading.where(level: 2): set text(size: 13.5pt)
#show heading.where(level: 3): set text(size: 11.5pt)
#show link: set text(fill: rgb("#0b5cad"))
#show raw: set text(font: ("Liberation Mono", "DejaVu Sans Mono", "Noto Emoji", "Noto Sans Mono CJK SC"), size: 9pt, dir: ltr)
// Code stays on one page unless it is longer than a page.
#show raw.where(block: true): it => layout(size => {
  let framed = std.block.with(fill: luma(246), inset: 9pt, radius: 3pt, width: 100%)
  let needed = measure(framed(it), width: size.width).height
  framed(breakable: needed > size.height, it)
})
#show quote.where(block: true): it => block(stroke: (left: 2.5pt + faint), inset: (left: 10pt, y: 2pt), text(fill: luma(70), it.body))
#show terms.item: it => block[*#it.term* #block(inset: (left: 1.5em, top: -0.4em), it.description)]
#set list(indent: 0.6em, marker: ([•], [–], [◦]))
#set enum(indent: 0.6em)
#set table(inset: (x: 7pt, y: 5.5pt), stroke: 0.5pt + faint)
#set table.hline(stroke: 0.5pt + faint)
#show table: set text(size: 9.5pt, hyphenate: true)
#show table: set par(leading: 0.6em)
#show table: it => if it.fill == none and it.children.any(child => child.func() == table.header) {
  let fields = it.fields()
  let children = fields.remove("children")
  let columns = it.columns.len()
  let (size, inset) = ${smallerTables} else { (9.5pt, 7pt) }
  let align = if type(it.align) == array { it.align.map(one => if one == auto { start } else { one }) } else { it.align }
  show table.cell.where(y: 0): set text(weight: "bold", fill: accent)
  show table.cell: set text(size: size)
  table(..fields, align: align, inset: (x: inset, y: 5.5pt), fill: (_, y) => if y == 0 { rgb("#e4ecf5") } else { white }, ..children)
} else { it }
#set figure(gap: 0.8em)
#show figure: set block(breakable: true, above: 1.4em, below: 1.4em)
#show figure.caption: set text(size: 9pt, fill: luma(80))
#show figure.caption: it => it.body
#show figure.where(kind: table): set figure.caption(position: top)
#if about.shown == "yes" [
  #block(below: 1em, text(size: 23pt, weight: "bold", fill: accent, about.title))
  #if about.author != "" [#block(text(fill: luma(90), about.author))]
  #v(0.4em)
  #line(length: 100%, stroke: 1pt + accent)
  #v(0.6em)
]
#if about.contents == "yes" [
  #outline(depth: 3)
  #v(1em)
]
// Full-width blocks align right-to-left text with the right edge of the page.
#let block(..parts) = std.block(width: 100%, ..parts)
`;
