/** The parameter `view` of lists whose items may contain long texts. */
import { z } from "zod";
import { SHORT_FILES, SHORT_METADATA, SHORT_TEXT } from "../../core/task/short.ts";
import { optionalQuery } from "./list-query.ts";

export const viewQuery = { view: optionalQuery(z.enum(["whole", "short"])) };

/** Explains `view=short` for tasks in the description of a route. */
export const SHORT_TASKS = `With \`view=short\`, texts end after ${SHORT_TEXT} characters (never within one of Unicode): \`input\`, of which only the last message is there, \`output.text\`, \`error.message\`, and \`query\` and \`reason\` in \`pending\`. \`output.files\` holds ${SHORT_FILES} at most, \`skills\` none, \`pending\` neither choices nor arguments, \`metadata\` nothing if it exceeds ${SHORT_METADATA} characters of JSON. \`cut\` names the fields that are not whole.`;
