/** The people of the tenant by their names, for choices. */
import { queryOptions } from "@tanstack/react-query";
import { answered, api } from "./client.ts";
import type { Person } from "./types.generated.ts";

/** As many as a page of the API holds. */
const PAGE = 100;
/** Pages that are read: the newest people. */
const PAGES = 5;

export const peopleQuery = queryOptions({
  queryKey: ["people", "all"],
  queryFn: async (): Promise<Person[]> => {
    const people: Person[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < PAGES; page += 1) {
      const read = await answered(
        api.GET("/v1/people", { params: { query: { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) } } }),
      );
      people.push(...read.data);
      if (read.next_cursor === null) break;
      cursor = read.next_cursor;
    }
    return people.toSorted((one, other) => one.name.localeCompare(other.name));
  },
  staleTime: 60_000,
});
