/** Spreadsheets, with Google Sheets' names. */
import { getOwn } from "../../../core/base/own-field.ts";
import {
  CHANGES,
  defineApp,
  DELETES,
  type Given,
  isFound,
  notFound,
  READS,
  readText,
  text,
  texts,
} from "./working-app.ts";

interface Book {
  readonly spreadsheetId: string;
  readonly title: string;
  /** The rows of its only sheet. */
  rows: string[][];
}

interface Books {
  books: Book[];
}

function addBook(state: Books, title: string, rows: string[][]): Book {
  const book = { spreadsheetId: `sheet_${state.books.length + 1}`, title, rows };
  state.books.push(book);
  return book;
}

const findBook = (given: Given, { books }: Books): Book | undefined =>
  books.find(({ spreadsheetId }) => spreadsheetId === readText(given, "spreadsheet_id"));

/** Rows of cells; what is no text becomes one. */
function readRows(given: Given, name: string): string[][] {
  const rows = getOwn(given, name);
  if (!Array.isArray(rows)) return [];
  return rows.map((row) =>
    (Array.isArray(row) ? row : [row]).map((cell) => (typeof cell === "string" ? cell : JSON.stringify(cell))),
  );
}

const SHEET_ID = { spreadsheet_id: text("Id of the spreadsheet.") };
const VALUES = { type: "array", items: { type: "array", items: { type: "string" } }, description: "Rows of cells." };

export const SHEET = defineApp<Books>({
  slug: "googlesheets",
  title: "Google Sheets",
  description: "Rows and columns of spreadsheets.",
  category: "databases",
  scopes: ["https://www.googleapis.com/auth/spreadsheets"],
  begin() {
    const state: Books = { books: [] };
    addBook(state, "Customers", [
      ["name", "city", "revenue"],
      ["Acme", "Berlin", "12000"],
      ["Globex", "Pune", "8400"],
      ["Initech", "Austin", "5100"],
    ]);
    return state;
  },
  actions: [
    {
      slug: "GOOGLESHEETS_SEARCH_SPREADSHEETS",
      title: "Search spreadsheets",
      description: "Finds spreadsheets by words of their title.",
      tags: ["important", ...READS],
      parameters: { query: text("Words to search for; empty lists all.") },
      required: [],
      run: (given, { books }) => ({
        data: {
          spreadsheets: books
            .filter(({ title }) => isFound(readText(given, "query"), title))
            .map(({ spreadsheetId, title }) => ({ spreadsheetId, title })),
        },
      }),
    },
    {
      slug: "GOOGLESHEETS_BATCH_GET",
      title: "Get values",
      description: "Reads all rows of a spreadsheet.",
      tags: ["important", ...READS],
      parameters: { ...SHEET_ID, ranges: texts("Ranges in A1 notation; omitted: the whole sheet.") },
      required: ["spreadsheet_id"],
      run(given, state) {
        const book = findBook(given, state);
        return book === undefined
          ? notFound("Spreadsheet")
          : { data: { valueRanges: [{ range: "Sheet1", values: book.rows }] } };
      },
    },
    {
      slug: "GOOGLESHEETS_LOOKUP_SPREADSHEET_ROW",
      title: "Look up row",
      description: "Finds the first row with a cell that contains the words.",
      tags: READS,
      parameters: { ...SHEET_ID, query: text("Words to search for.") },
      required: ["spreadsheet_id", "query"],
      run(given, state) {
        const book = findBook(given, state);
        if (book === undefined) return notFound("Spreadsheet");
        const at = book.rows.findIndex((row) => row.some((cell) => isFound(readText(given, "query"), cell)));
        return { data: { row: book.rows[at] ?? null, row_index: at < 0 ? null : at + 1 } };
      },
    },
    {
      slug: "GOOGLESHEETS_CREATE_GOOGLE_SHEET1",
      title: "Create spreadsheet",
      description: "Creates an empty spreadsheet.",
      tags: ["important"],
      parameters: { title: text("Its title.") },
      required: ["title"],
      run: (given, state) => ({ data: { spreadsheetId: addBook(state, readText(given, "title"), []).spreadsheetId } }),
    },
    {
      slug: "GOOGLESHEETS_SPREADSHEETS_VALUES_APPEND",
      title: "Append values",
      description: "Adds rows after the last one.",
      tags: ["important"],
      parameters: { ...SHEET_ID, values: VALUES },
      required: ["spreadsheet_id", "values"],
      run(given, state) {
        const book = findBook(given, state);
        if (book === undefined) return notFound("Spreadsheet");
        const rows = readRows(given, "values");
        book.rows.push(...rows);
        return { data: { updates: { updatedRows: rows.length } } };
      },
    },
    {
      slug: "GOOGLESHEETS_BATCH_UPDATE",
      title: "Replace values",
      description: "Replaces all rows of a spreadsheet.",
      tags: CHANGES,
      parameters: { ...SHEET_ID, values: VALUES },
      required: ["spreadsheet_id", "values"],
      run(given, state) {
        const book = findBook(given, state);
        if (book === undefined) return notFound("Spreadsheet");
        book.rows = readRows(given, "values");
        return { data: { totalUpdatedRows: book.rows.length } };
      },
    },
    {
      slug: "GOOGLESHEETS_CLEAR_VALUES",
      title: "Clear values",
      description: "Removes all rows of a spreadsheet. It cannot be undone.",
      tags: DELETES,
      parameters: SHEET_ID,
      required: ["spreadsheet_id"],
      run(given, state) {
        const book = findBook(given, state);
        if (book === undefined) return notFound("Spreadsheet");
        book.rows = [];
        return { data: { success: true } };
      },
    },
  ],
});
