/** The six demo apps whose actions work, on data that is made up and lives as long as the process. */
import { CALENDAR } from "./calendar.ts";
import { CHAT } from "./chat.ts";
import { FILES } from "./files.ts";
import { MAIL } from "./mail.ts";
import { SHEET } from "./sheet.ts";
import { TRACKER } from "./tracker.ts";
import type { WorkingApp } from "./working-app.ts";

export const WORKING_APPS: readonly WorkingApp[] = [MAIL, TRACKER, CHAT, CALENDAR, FILES, SHEET];
