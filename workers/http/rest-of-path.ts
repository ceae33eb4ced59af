/** How a Hono route declares a path whose last part may contain slashes. The API document writes `{path}`. */
export const REST_OF_PATH = ":path{[^]+}";
