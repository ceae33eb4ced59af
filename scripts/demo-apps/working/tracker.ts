/** Issues, with Linear's names. */
import {
  CHANGES,
  count,
  defineApp,
  DELETES,
  isFound,
  notFound,
  READS,
  readCount,
  readText,
  text,
} from "./working-app.ts";

const DEFAULT_RESULTS = 25;
const TEAM = { id: "team_demo", name: "Demo", key: "DEM" };

interface Issue {
  readonly id: string;
  readonly identifier: string;
  title: string;
  description: string;
  state: string;
  comments: { readonly id: string; readonly body: string }[];
}

interface Board {
  issues: Issue[];
  next: number;
}

function addIssue(board: Board, title: string, description: string): Issue {
  const issue = {
    id: `iss_${board.next}`,
    identifier: `DEM-${board.next}`,
    title,
    description,
    state: "Todo",
    comments: [],
  };
  board.next += 1;
  board.issues = [issue, ...board.issues];
  return issue;
}

const findIssue = (board: Board, given: string): Issue | undefined =>
  board.issues.find(({ id, identifier }) => id === given || identifier === given);
const ISSUE_ID = { issue_id: text("Id or identifier of the issue, such as DEM-2.") };

export const TRACKER = defineApp<Board>({
  slug: "linear",
  title: "Linear",
  description: "Issues and projects of product teams.",
  category: "project-management",
  scopes: ["read", "write"],
  begin() {
    const board: Board = { issues: [], next: 1 };
    addIssue(board, "Sign-in page is blank in Safari", "Reported by two customers since Monday.");
    addIssue(board, "Write the release notes of 4.2", "Ask the team for their changes.");
    addIssue(board, "Search is slow with 10,000 items", "p95 is 2.4 seconds.");
    return board;
  },
  actions: [
    {
      slug: "LINEAR_LIST_LINEAR_TEAMS",
      title: "List teams",
      description: "Lists the teams of the workspace.",
      tags: ["important", ...READS],
      parameters: {},
      required: [],
      run: () => ({ data: { teams: [TEAM] } }),
    },
    {
      slug: "LINEAR_LIST_LINEAR_ISSUES",
      title: "List issues",
      description: "Lists issues, the newest first. `query` selects those that contain its words.",
      tags: ["important", ...READS],
      parameters: { query: text("Words to search for."), first: count("Maximum number of issues.", DEFAULT_RESULTS) },
      required: [],
      run(given, { issues }) {
        const found = issues.filter(({ title, description }) => isFound(readText(given, "query"), title, description));
        return { data: { issues: found.slice(0, readCount(given, "first", DEFAULT_RESULTS)) } };
      },
    },
    {
      slug: "LINEAR_GET_LINEAR_ISSUE",
      title: "Get issue",
      description: "Reads one issue with its comments.",
      tags: READS,
      parameters: ISSUE_ID,
      required: ["issue_id"],
      run: (given, board) => {
        const issue = findIssue(board, readText(given, "issue_id"));
        return issue === undefined ? notFound("Issue") : { data: { issue } };
      },
    },
    {
      slug: "LINEAR_CREATE_LINEAR_ISSUE",
      title: "Create issue",
      description: "Creates an issue in a team.",
      tags: ["important"],
      parameters: {
        title: text("Title of the issue."),
        description: text("Details, in Markdown."),
        team_id: text("Id of the team."),
      },
      required: ["title"],
      run: (given, board) => ({
        data: { ...addIssue(board, readText(given, "title"), readText(given, "description")) },
      }),
    },
    {
      slug: "LINEAR_UPDATE_ISSUE",
      title: "Update issue",
      description: "Changes the title, the description or the state of an issue.",
      tags: CHANGES,
      parameters: {
        ...ISSUE_ID,
        title: text("New title."),
        description: text("New details."),
        state: text("New state, such as Done."),
      },
      required: ["issue_id"],
      run(given, board) {
        const issue = findIssue(board, readText(given, "issue_id"));
        if (issue === undefined) return notFound("Issue");
        issue.title = readText(given, "title") || issue.title;
        issue.description = readText(given, "description") || issue.description;
        issue.state = readText(given, "state") || issue.state;
        return { data: { issue } };
      },
    },
    {
      slug: "LINEAR_CREATE_LINEAR_COMMENT",
      title: "Create comment",
      description: "Adds a comment to an issue.",
      tags: [],
      parameters: { ...ISSUE_ID, body: text("The comment, in Markdown.") },
      required: ["issue_id", "body"],
      run(given, board) {
        const issue = findIssue(board, readText(given, "issue_id"));
        if (issue === undefined) return notFound("Issue");
        const comment = { id: `com_${issue.comments.length + 1}`, body: readText(given, "body") };
        issue.comments.push(comment);
        return { data: { comment } };
      },
    },
    {
      slug: "LINEAR_DELETE_LINEAR_ISSUE",
      title: "Delete issue",
      description: "Deletes an issue. It cannot be undone.",
      tags: DELETES,
      parameters: ISSUE_ID,
      required: ["issue_id"],
      run(given, board) {
        const issue = findIssue(board, readText(given, "issue_id"));
        if (issue === undefined) return notFound("Issue");
        board.issues = board.issues.filter((one) => one !== issue);
        return { data: { success: true } };
      },
    },
  ],
});
