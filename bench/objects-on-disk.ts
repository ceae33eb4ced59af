/** What the runtime keeps of the objects of a class: a folder with a database of each, and one of their alarms. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openFiles } from "./processes.ts";

const ALARMS_FILE = "metadata.sqlite";
/** The runtime keeps nanoseconds since the epoch. */
const SOON = "SELECT count(*) AS armed FROM _cf_ALARM WHERE scheduled_time < ? * 1000000";

/** Objects of the folder that the process has in memory: it has their databases open as long. */
export function objectsInMemory(pid: number, folder: string): number {
  const databases = openFiles(pid).filter((path) => path.startsWith(`${folder}/`) && path.endsWith(".sqlite"));
  return new Set(databases.filter((path) => !path.endsWith(`/${ALARMS_FILE}`))).size;
}

/** Those that are due later, such as that of a hidden task which is forgotten after a week, are no work of what waits. */
const SOON_MS = 3_600_000;

/** Alarms that are armed for objects of the folder and due within the hour. */
export function armedAlarms(folder: string): number {
  const database = new DatabaseSync(join(folder, ALARMS_FILE), { readOnly: true });
  try {
    return Number(database.prepare(SOON).get(Date.now() + SOON_MS)?.["armed"]);
  } finally {
    database.close();
  }
}
