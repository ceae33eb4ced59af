/** One name, one app (migrations/0038_flow_accounts.sql): the database refuses the second of two with one name. */
import { type Failed, type Failure, failed } from "../../core/base/errors.ts";

/** Fails with `message` if the database refused the name of an app; null for any other error. */
export function refuseSecondApp({ cause }: Failure, message: string, field: string): Failed | null {
  const isSecond = cause?.kind === "constraint" && cause.constraint === "one_name_one_app";
  return isSecond ? failed("conflict", message, { field, cause }) : null;
}
