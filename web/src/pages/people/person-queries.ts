import { queryOptions } from "@tanstack/react-query";
import { answeredWithTag, api } from "../../api/client.ts";

/** A person, with the version that a change begins with. */
export function personQuery(id: string) {
  return queryOptions({
    queryKey: ["people", "one", id],
    queryFn: async () => await answeredWithTag(api.GET("/v1/people/{id}", { params: { path: { id } } })),
  });
}
