/** The OpenAPI document and its page. */
export { openApiRoutes as documentGroup } from "../api-document/routes.ts";
