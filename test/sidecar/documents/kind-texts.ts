/** Tables and formulas that are written into documents of each format, to be found there again. */

export interface TableText {
  readonly what: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Seven tables: with three formats they are 21 documents. Every cell is what a reader sees. */
export const TABLES: readonly TableText[] = [
  {
    what: "names and counts",
    columns: ["Fruit", "Crates", "Kilograms"],
    rows: [
      ["Apple", "12", "240"],
      ["Pear", "7", "133"],
    ],
  },
  {
    what: "amounts with signs, currencies and per cent",
    columns: ["Quarter", "Revenue", "Change"],
    rows: [
      ["Q1", "€1,200.50", "-3.5%"],
      ["Q2", "$980.00", "+12%"],
      ["Q3", "£0.75", "0%"],
    ],
  },
  {
    what: "letters of several scripts",
    columns: ["Stadt", "Größe", "名前"],
    rows: [
      ["München", "groß", "都市"],
      ["Łódź", "średnie", "川の名前"],
      ["Αθήνα", "Кириллица", "水"],
    ],
  },
  {
    what: "cells without a text",
    columns: ["Item", "Left", "Right"],
    rows: [
      ["bolt", "", "M8"],
      ["nut", "M6", ""],
      ["washer", "M4", "M4"],
    ],
  },
  {
    what: "sentences that need several lines",
    columns: ["Clause", "Text"],
    rows: [
      [
        "1",
        "The tenant pays the rent on the first day of each month, without any deduction, to the account that the landlord names.",
      ],
      [
        "2",
        "The notice period is three months to the end of a quarter, and the notice has to be in writing and signed by both.",
      ],
    ],
  },
  {
    what: "nine columns",
    columns: ["Day", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"],
    rows: ["Mon", "Tue", "Wed"].map((day, row) => [day, ...Array.from({ length: 8 }, (_, at) => `${row * 10 + at}`)]),
  },
  {
    what: "twenty-five rows",
    columns: ["Nr", "City", "Code"],
    rows: Array.from({ length: 25 }, (_, at) => [`${at + 1}`, `Town ${String.fromCodePoint(65 + at)}`, `X-${at * 37}`]),
  },
];

/** Seven texts with pictures, `a.png` and `b.png`. `alts`: their alternative texts in order; `words`: of a piece's text. */
export const PICTURES: readonly {
  readonly what: string;
  readonly markdown: string;
  readonly alts: readonly string[];
  readonly words: string;
}[] = [
  {
    what: "between two paragraphs",
    markdown: "Before the pump.\n\n![The red pump](a.png)\n\nAfter it.\n",
    alts: ["The red pump"],
    words: "Before the pump.",
  },
  {
    what: "above a caption",
    markdown: "![](a.png)\n\nFigure 1: The red pump\n",
    alts: [""],
    words: "Figure 1: The red pump",
  },
  {
    what: "below a caption",
    markdown: "Figure 2: The blue pump\n\n![](a.png)\n\nIt is new.\n",
    alts: [""],
    words: "Figure 2: The blue pump",
  },
  {
    what: "twice, each with its own text",
    markdown: "The first pump:\n\n![one](a.png)\n\nThe second pump:\n\n![two](b.png)\n",
    alts: ["one", "two"],
    words: "The first pump:",
  },
  { what: "in a sentence", markdown: "The pump ![sign](a.png) is red.\n", alts: ["sign"], words: "is red." },
  { what: "in a list", markdown: "- the pump ![sign](a.png)\n- the valve\n", alts: ["sign"], words: "the pump" },
  { what: "without any words", markdown: "![](a.png)\n", alts: [""], words: "" },
];
