/** The pattern of a Hono path parameter that may contain slashes. The API document writes `{path}`. */
export const REST_OF_PATH = ":path{[^]+}";
