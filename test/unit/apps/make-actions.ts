/**
 * A catalogue of 880 apps and over 12,000 actions, the same for the same seed: names as providers write them, hints that
 * are mostly right, and apps without any. The named actions of some apps are written out.
 */
import type { DescribedAction } from "../../../core/apps/catalogue.ts";
import { judgeAction } from "../../../core/apps/effects/judge.ts";
import type { CatalogueAction, ListedAction } from "../../../core/ports/app-catalogue.ts";
import { seededRandom } from "../../drill/random.ts";

const NAMED: Readonly<Record<string, string>> = {
  slack: `CREATE_CHANNEL_BASED_CONVERSATION CREATE_CHANNEL SEND_MESSAGE SENDS_A_MESSAGE_TO_A_SLACK_CHANNEL CHAT_POST_MESSAGE
    UPDATES_A_SLACK_MESSAGE DELETES_A_MESSAGE_FROM_A_CHAT ARCHIVE_A_SLACK_CONVERSATION LIST_ALL_CHANNELS FIND_CHANNELS
    INVITE_USERS_TO_A_SLACK_CHANNEL FETCH_CONVERSATION_HISTORY SEARCH_MESSAGES LIST_ALL_USERS ADD_REACTION_TO_AN_ITEM
    CREATE_A_REMINDER RENAME_A_CONVERSATION SET_THE_TOPIC_OF_A_CONVERSATION SCHEDULE_MESSAGE DELETE_FILE`,
  gmail: `SEND_EMAIL REPLY_TO_THREAD FETCH_EMAILS FETCH_MESSAGE_BY_THREAD_ID CREATE_EMAIL_DRAFT DELETE_MESSAGE LIST_LABELS
    ADD_LABEL_TO_EMAIL MOVE_TO_TRASH GET_PROFILE GET_ATTACHMENT FORWARD_MESSAGE SEARCH_PEOPLE`,
  github: `CREATE_AN_ISSUE LIST_REPOSITORY_ISSUES CREATE_AN_ISSUE_COMMENT LIST_COMMITS_ON_A_PULL_REQUEST MERGE_A_PULL_REQUEST
    GET_A_RELEASE CREATE_A_RELEASE DELETE_A_REPOSITORY CREATE_A_REPOSITORY_WEBHOOK REMOVE_A_LABEL_FROM_AN_ISSUE
    LIST_BRANCHES MERGE_A_BRANCH GET_REPOSITORY_CONTENT CREATE_A_REPOSITORY_FOR_THE_AUTHENTICATED_USER SEARCH_CODE`,
  googlecalendar: "CREATE_EVENT UPDATE_EVENT DELETE_EVENT FIND_EVENT LIST_CALENDARS FIND_FREE_SLOTS QUICK_ADD",
  googlesheets:
    "BATCH_UPDATE GET_SPREADSHEET_INFO CREATE_SPREADSHEET_ROW CLEAR_VALUES SEARCH_SPREADSHEETS LOOKUP_SPREADSHEET_ROW",
  googledrive:
    "UPLOAD_FILE FIND_FILE DOWNLOAD_FILE SHARE_FILE CREATE_FOLDER MOVE_FILE DELETE_FOLDER_OR_FILE LIST_FILES",
  linear:
    "CREATE_LINEAR_ISSUE LIST_LINEAR_ISSUES UPDATE_ISSUE CREATE_LINEAR_COMMENT REMOVE_ISSUE_LABEL RUN_QUERY_OR_MUTATION",
  notion:
    "CREATE_NOTION_PAGE SEARCH_NOTION_PAGE QUERY_DATABASE INSERT_ROW_DATABASE UPDATE_SCHEMA_DATABASE ARCHIVE_NOTION_PAGE",
};

const THINGS =
  `message channel user contact file folder document record repository branch commit issue ticket pull_request
  release event meeting email task reminder project board notification alert webhook access_token permission admin_setting
  metric report spreadsheet row table database invoice order payment product customer deal campaign survey form page post
  comment label tag workflow run job build pipeline budget profile reset_link subscription plan coupon song playlist video
  photo article lead account team group role session device location route shipment ticket_type seat booking menu_item
  archive setting price quote offer candidate interview course lesson student patient prescription`
    .trim()
    .split(/\s+/);

const READS = [
  "GET_THING",
  "GET_A_THING",
  "LIST_THINGS",
  "SEARCH_THINGS",
  "FIND_THING",
  "FETCH_THINGS",
  "COUNT_THINGS",
  "RETRIEVE_THING_BY_ID",
  "DOWNLOAD_THING",
  "THINGS_LIST",
];
const WRITES = [
  "CREATE_THING",
  "CREATE_A_THING",
  "ADD_THING",
  "SEND_THING",
  "POST_THING",
  "IMPORT_THINGS",
  "UPLOAD_THING",
  "INVITE_TO_THING",
  "APPEND_TO_THING",
  "MERGE_THINGS",
  "COPY_THING",
  "PUBLISH_THING",
  "RUN_THING",
  "CLOSE_THING",
  "GENERATE_THING",
];
const REPEATABLE = [
  "UPDATE_THING",
  "SET_THING",
  "REPLACE_THING",
  "RENAME_THING",
  "ENABLE_THING",
  "PATCH_THING",
  "UPSERT_THING",
];
const DESTROYS = [
  "DELETE_THING",
  "DELETE_A_THING",
  "REMOVE_THING",
  "ARCHIVE_THING",
  "REVOKE_THING",
  "PURGE_THINGS",
  "DELETES_A_THING_FROM_A_LIST",
  "BULK_DELETE_THINGS",
];

const SYLLABLES =
  "ar bel cor dan el fos gal hin iro jul kan lem mor nes oro pex quin rad sol tav ulm ves wex yor zen".split(" ");
const APPS = 880;

/** Makes the actions, with their schemas. */
export function makeActions(seed = 7): DescribedAction[] {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const made = new Map<string, DescribedAction>();
  const add = (app: string, name: string, tags: readonly string[], thing: string) => {
    const action = `${app.toUpperCase()}_${name}`;
    if (!made.has(action)) made.set(action, describe(app, action, tags, thing));
  };
  for (const [app, names] of Object.entries(NAMED))
    for (const name of names.trim().split(/\s+/)) add(app, name, guessTags(name), app);
  for (let number = Object.keys(NAMED).length; number < APPS; number += 1) {
    const app = `${pick(SYLLABLES)}${pick(SYLLABLES)}${random() < 0.1 ? "_" : ""}${number}`;
    const isWithoutHints = random() < 0.15;
    const things = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(THINGS));
    for (const thing of things) {
      for (const shapes of [READS, READS, WRITES, REPEATABLE, DESTROYS, READS, WRITES]) {
        const name = pick(shapes).replace(/THING/, thing.toUpperCase());
        add(app, name, isWithoutHints ? [] : addHints(name, shapes, random), thing);
      }
    }
  }
  return [...made.values()];
}

/** Hints as providers give them: one in twenty is missing, and one in fifty is wrong. */
function addHints(name: string, shapes: readonly string[], random: () => number): string[] {
  const right = guessTags(name, shapes);
  if (random() < 0.05) return [];
  return random() < 0.02 ? ["readOnlyHint", ...right] : right;
}

function guessTags(name: string, shapes?: readonly string[]): string[] {
  if (shapes === DESTROYS || /^(DELETE|ARCHIVE|REMOVE|CLEAR)/.test(name)) return ["destructiveHint", "idempotentHint"];
  if (shapes === REPEATABLE || /^(UPDATE|SET|RENAME)/.test(name)) return ["idempotentHint", "important"];
  const isRead = shapes === READS || /^(GET|LIST|FIND|FETCH|SEARCH|QUERY|DOWNLOAD|LOOKUP)/.test(name);
  return isRead ? ["readOnlyHint", "openWorldHint"] : ["openWorldHint"];
}

function describe(app: string, action: string, tags: readonly string[], thing: string): DescribedAction {
  const words = action
    .slice(app.length + 1)
    .toLowerCase()
    .replaceAll("_", " ");
  const named = thing.replaceAll("_", " ");
  const properties = {
    [`${thing}_id`]: { type: "string", description: `The id of the ${named}.` },
    limit: { type: "integer", description: "The most that are returned." },
    name: { type: "string", description: `The name of the ${named}.` },
  };
  return {
    action,
    app,
    title: `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
    description: `Tool to ${words} in ${app}. Use it when the ${named} is known and its details are needed.`,
    tags,
    scopes: [],
    input: { type: "object", properties, required: [`${thing}_id`] },
    output: null,
    version: "20261101_00",
    isOpen: false,
  };
}

/** Judges an action, as the compile does. */
export function toCatalogueAction(action: DescribedAction): CatalogueAction {
  return { ...action, ...judgeAction(action), schemaHash: action.action };
}

/** Lists actions, as the compile does. */
export function toListed(actions: readonly DescribedAction[]): ListedAction[] {
  return actions.map((action) => {
    const { app, title, description, tags, isOpen, input } = action;
    const properties: unknown = input["properties"];
    const parameters = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
    return { action: action.action, app, title, description, tags, isOpen, parameters, ...judgeAction(action) };
  });
}
