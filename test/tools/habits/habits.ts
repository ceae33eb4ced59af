/** Calls as models write them, in tables: what the gateway reads each as, or why it refuses it. */

/** The forms in which models write the path of `notes/a.md`. */
export const FILE_SPELLINGS = [
  "notes/a.md",
  "./notes/a.md",
  "/notes/a.md",
  "//notes/a.md",
  "notes//a.md",
  "notes/./a.md",
  "notes/a.md/",
  "/workspace/notes/a.md",
  "sandbox:/notes/a.md",
  "sandbox:/workspace/notes/a.md",
] as const;

/** Tools that name a file, with their other arguments. */
export const FILE_TOOLS: readonly (readonly [tool: string, argument: string, more: object])[] = [
  ["read_file", "path", {}],
  ["write_file", "path", { content: "x" }],
  ["fs.read", "path", {}],
  ["fs.write", "path", { content: "x" }],
  ["attach_file", "filename", {}],
  ["delete_file", "path", {}],
  ["create_directory", "path", {}],
  ["read_document", "filename", {}],
  ["grep", "path", { pattern: "x" }],
];

/** The forms in which models write the root of the sandbox. */
export const ROOT_SPELLINGS = ["", ".", "./", "/", "/workspace", "/workspace/", "sandbox:/"] as const;

export const ROOT_TOOLS: readonly (readonly [tool: string, argument: string, more: object])[] = [
  ["list_directory", "path", {}],
  ["grep", "path", { pattern: "x" }],
  ["find_files", "path", { glob: "**/*.md" }],
  ["search_in_files", "path", { pattern: "x" }],
  ["run_command", "cwd", { command: "ls" }],
];

type Accepted = readonly [tool: string, given: object | string, reads: object];

/** Arguments under the names of the documents and of other agents. `reads`: by the tools' own names. */
export const ALIASES: readonly Accepted[] = [
  ...["path", "filename", "file_path", "dir_path", "output_filename"].flatMap((name): Accepted[] => [
    ["fs.read", { [name]: "a.md" }, { path: "a.md" }],
    ["delete_file", { [name]: "a.md" }, { path: "a.md" }],
    ["list_directory", { [name]: "notes" }, { path: "notes" }],
  ]),
  ["grep", { pattern: "x", dir_path: "notes" }, { pattern: "x", path: "notes" }],
  ["find_files", { glob: "*.md", dir_path: "/notes" }, { glob: "*.md", path: "notes" }],
  ["run_command", { cmd: "ls" }, { command: "ls" }],
  ["execute_command", { cmd: "ls -l" }, { command: "ls -l" }],
  ["web_search", { q: "otters" }, { query: "otters" }],
  ["memory_search", { q: "otters" }, { query: "otters" }],
  ["find_tools", { q: "send a mail" }, { query: "send a mail" }],
  ["fs.read", { path: "a.md", encoding: "utf-8" }, { path: "a.md" }],
  ["fs.read", { path: "a.md", encoding: "UTF8" }, { path: "a.md" }],
  ["fs.write", { file_path: "a.md", content: "x", encoding: "utf8" }, { path: "a.md", content: "x" }],
  ["list_directory", { encoding: "utf-8" }, { path: "" }],
  ["slack.notify", { text: "Done." }, { message: "Done." }],
  ["send_email", { to: "ana@example.com", subject: "Hi", body_html: "<p>Hi</p>" }, { body: "<p>Hi</p>" }],
];

/** Values in another type than the schema's. */
export const TYPES: readonly Accepted[] = [
  ["wait", { seconds: "30" }, { seconds: 30 }],
  ["wait", { seconds: " 30 " }, { seconds: 30 }],
  ["wait", { seconds: "30.0" }, { seconds: 30 }],
  ["fs.read", { path: "a.md", max_size: "1000" }, { max_size: 1000 }],
  ["grep", { pattern: "x", max_results: "50", case_sensitive: "false" }, { max_results: 50, case_sensitive: false }],
  ["grep", { pattern: "x", case_sensitive: "True" }, { case_sensitive: true }],
  ["grep", { pattern: "x", case_sensitive: "FALSE" }, { case_sensitive: false }],
  ["fs.write", { path: "a.md", content: "x", backup: "false" }, { backup: false }],
  ["fs.write", { path: "a.md", content: "42" }, { content: "42" }],
  ["fs.write", { path: "a.md", content: "true" }, { content: "true" }],
  ["fs.write", { path: "a.md", content: '{"a": 1}' }, { content: '{"a": 1}' }],
  ["fs.write", { path: "a.md", content: "x", mode: 644 }, { mode: "644" }],
  ["ask_human", { query: "Go?", wait_for_answer: "false" }, { wait_for_answer: false }],
  ["ask_human", { query: "Which?", choices: '["a", "b"]' }, { choices: ["a", "b"] }],
  ["http_request", { url: "https://example.com/", timeout: "60" }, { timeout: 60 }],
  [
    "http_request",
    { url: "https://example.com/", headers: '{"accept": "text/html"}' },
    { headers: { accept: "text/html" } },
  ],
  [
    "http_request",
    { url: "https://example.com/", method: "POST", body: '{"a": 1}' },
    { method: "POST", body: '{"a": 1}' },
  ],
  ["http.get", { url: "https://example.com/", follow_redirects: "false" }, { follow_redirects: false }],
  ["http.get", { url: "https://example.com/", timeout_ms: "5000" }, { timeout_ms: 5000 }],
  ["web_search", { query: "otters", max_results: "3" }, { query: "otters", max_results: 3 }],
  ["web_search", { query: "2026" }, { query: "2026" }],
  ["memory_save", { content: "x", tags: "otter" }, { tags: ["otter"] }],
  ["memory_save", { content: "x", tags: '["otter", "river"]' }, { tags: ["otter", "river"] }],
  [
    "send_email",
    { to: "a@example.com", subject: "s", body: "b", attachment_filenames: "/a.md" },
    {
      attachment_filenames: ["a.md"],
    },
  ],
  ["run_command", { command: "ls", timeout: "5", files: "src/" }, { timeout: 5, files: ["src"] }],
  ["run_command", { command: "ls", files: ["./a.py", "/workspace/b.py"] }, { files: ["a.py", "b.py"] }],
  ["unit_convert", { value: "42.195", from_unit: "km", to_unit: "mi" }, { value: 42.195 }],
  ["unit_convert", { value: "-4e2", from_unit: "km", to_unit: "mi" }, { value: -400 }],
  ["statistics_summary", { numbers: ["1", 2, "3.5"] }, { numbers: [1, 2, 3.5] }],
  ["statistics_summary", { numbers: "[1, 2]" }, { numbers: [1, 2] }],
  ["statistics_summary", { numbers: 7 }, { numbers: [7] }],
  ["statistics_summary", { numbers: "7" }, { numbers: [7] }],
  ["json.parse", { json: '{"a": 1}', schema: '{"type": "object"}' }, { json: '{"a": 1}', schema: { type: "object" } }],
  ["dispatch_subagent", { task_description: "Look.", max_iterations: "5" }, { max_iterations: 5 }],
  ["get_current_datetime", '"{}"', {}],
  ["web_search", '"{\\"query\\": \\"otters\\"}"', { query: "otters" }],
  ["get_current_datetime", "", {}],
];

/** Tools under other spellings of their names. */
export const NAMES: readonly (readonly [written: string, tool: string])[] = [
  ["fs.read", "fs.read"],
  ["fs_read", "fs.read"],
  ["fs-read", "fs.read"],
  ["FS.Read", "fs.read"],
  ["read.file", "read_file"],
  ["read-file", "read_file"],
  ["Read_File", "read_file"],
  ["READ_FILE", "read_file"],
  ["http-get", "http.get"],
  ["HTTP_GET", "http.get"],
  ["web.search", "web_search"],
  ["Web-Search", "web_search"],
  ["list-directory", "list_directory"],
  ["search.in.files", "search_in_files"],
  ["Ask_Human", "ask_human"],
  ["memory-search", "memory_search"],
  ["slack_notify", "slack.notify"],
  ["test-run", "test.run"],
  ["Grep", "grep"],
  ["yaml_parse", "yaml.parse"],
];

/** Where programs see the sandbox. */
const CAGE = "/work";

type Refused = readonly [tool: string, given: object | string, code: string, field: string, message: RegExp];

/** What would change its meaning by guessing, and what no caller may name. */
export const REFUSED: readonly Refused[] = [
  // Paths that lead out, or that another reader would take for another place.
  ...["../a.md", "notes/../../a.md", "/..", "/workspace/../a.md", "sandbox:/../a.md", "./../a.md"].flatMap(
    (path): Refused[] => [
      ["fs.read", { path }, "sandbox_denied", "path", /^File access denied by sandbox: .*\.\./],
      ["fs.write", { path, content: "x" }, "sandbox_denied", "path", /^File access denied by sandbox: /],
    ],
  ),
  ["fs.read", { path: "a\\b.md" }, "invalid_input", "path", /write \/ between its folders$/],
  ["fs.read", { path: "..\\a.md" }, "invalid_input", "path", /backslash/],
  ["fs.read", { path: "a\0.md" }, "invalid_input", "path", /control characters/],
  ["fs.read", { path: "a\n.md" }, "invalid_input", "path", /control characters/],
  ["fs.read", { path: "a".repeat(1_025) }, "invalid_input", "path", /1024 bytes/],
  ["fs.read", { path: "" }, "invalid_input", "path", /name a file, such as/],
  ["fs.read", { path: "." }, "invalid_input", "path", /topmost directory; name a file in it/],
  ["fs.write", { path: "/", content: "x" }, "invalid_input", "path", /topmost directory; name a file in it/],
  ["fs.read", { path: ".env" }, "sandbox_denied", "path", /: \.env$/],
  ["fs.read", { path: "/workspace/.env" }, "sandbox_denied", "path", /: \/workspace\/\.env$/],
  ["fs.read", { path: "./certs//id.pem" }, "sandbox_denied", "path", /: \.\/certs\/\/id\.pem$/],
  ["test.run", { path: "./-rf" }, "invalid_input", "path", /must not begin with -/],
  // Missing and twice.
  ["fs.read", {}, "invalid_input", "path", /^path: is missing; give a text$/],
  ["fs.write", { path: "a.md" }, "invalid_input", "content", /^content: is missing; give a text$/],
  ["web_search", {}, "invalid_input", "query", /is missing/],
  ["http_request", { method: "GET" }, "invalid_input", "url", /is missing/],
  ["fs.read", { path: "a.md", file_path: "b.md" }, "invalid_input", "file_path", /given twice/],
  ["run_command", { command: "ls", cmd: "rm a" }, "invalid_input", "cmd", /given twice/],
  // Misspelt.
  ["http_request", { url: "https://example.com/", method: "GTE" }, "invalid_input", "method", /did you mean "GET"\?$/],
  [
    "http_request",
    { url: "https://example.com/", method: "post" },
    "invalid_input",
    "method",
    /did you mean "POST"\?$/,
  ],
  [
    "dispatch_subagent",
    { task_description: "Look.", agent_type: "reserch" },
    "invalid_input",
    "agent_type",
    /did you mean "research"\?$/,
  ],
  ["fs.read", { pth: "a.md" }, "invalid_input", "path", /path: is missing/],
  ["fs.read", { path: "a.md", max_sise: 5 }, "invalid_input", "max_sise", /did you mean max_size\?$/],
  ["grep", { pattern: "x", case_sensitiv: true }, "invalid_input", "case_sensitiv", /did you mean case_sensitive\?$/],
  ["web_search", { query: "x", engine: "y" }, "invalid_input", "engine", /omit it, or use one of query/],
  ["get_current_datetime", { format: "iso" }, "invalid_input", "format", /no argument of this name/],
  ["fs.read", { path: "a.md", encoding: "latin-1" }, "invalid_input", "encoding", /UTF-8/],
  ["http.get", { url: "https://example.com/", encoding: "utf-8" }, "invalid_input", "encoding", /no argument/],
  ["fs.read", { path: "a.md", cmd: "ls" }, "invalid_input", "cmd", /no argument of this name/],
  // Values that are not what the schema wants, in any reading.
  ["wait", { seconds: "a minute" }, "invalid_input", "seconds", /has to be a number, not a text$/],
  ["wait", { seconds: "30s" }, "invalid_input", "seconds", /has to be a number/],
  ["wait", { seconds: "0x1e" }, "invalid_input", "seconds", /has to be a number/],
  ["wait", { seconds: "030" }, "invalid_input", "seconds", /has to be a number/],
  ["wait", { seconds: "1.5" }, "invalid_input", "seconds", /has to be a number, not a text$/],
  ["wait", { seconds: "" }, "invalid_input", "seconds", /has to be a number/],
  ["wait", { seconds: true }, "invalid_input", "seconds", /has to be a number/],
  ["wait", { seconds: 0 }, "invalid_input", "seconds", /has to be at least 1$/],
  ["wait", { seconds: "301" }, "invalid_input", "seconds", /has to be at most 300$/],
  ["wait", { seconds: null }, "invalid_input", "seconds", /not null/],
  ["fs.read", { path: "a.md", max_size: "9007199254740993" }, "invalid_input", "max_size", /a whole number|a number/],
  ["grep", { pattern: "x", case_sensitive: "yes" }, "invalid_input", "case_sensitive", /true or false, not a text$/],
  ["grep", { pattern: "x", case_sensitive: 0 }, "invalid_input", "case_sensitive", /true or false, not a number$/],
  ["fs.read", { path: "a.md", max_size: "9007199254740993.0" }, "invalid_input", "max_size", /not a text$/],
  ["run_command", { command: "ls", cwd: CAGE }, "sandbox_denied", "cwd", /write \.\)$/],
  ["fs.read", { path: ["a.md"] }, "invalid_input", "path", /has to be a text, not a list$/],
  ["fs.read", { path: 7 }, "invalid_input", "path", /has to be a text, not a number$/],
  ["memory_save", { content: "x", tags: [{ name: "a" }] }, "invalid_input", "tags.0", /has to be a text/],
  [
    "http_request",
    { url: "https://example.com/", headers: "accept: text/html" },
    "invalid_input",
    "headers",
    /has to be an object/,
  ],
  ["http_request", { url: "https://example.com/", headers: "{not json}" }, "invalid_input", "headers", /an object/],
  ["get_current_datetime", "[]", "invalid_input", "arguments", /one JSON object/],
  ["get_current_datetime", "now", "invalid_input", "arguments", /one JSON object/],
  ["get_current_datetime", "{", "invalid_input", "arguments", /one JSON object/],
  // Names of no tool.
  ["read_fil", { path: "a.md" }, "not_found", "name", /Did you mean read_file\?/],
  ["websearch", { query: "x" }, "not_found", "name", /Did you mean web_search\?/],
  ["calculator", { expression: "1" }, "not_found", "name", /^There is no tool named calculator\. You have: /],
];
