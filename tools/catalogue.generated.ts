/** Every tool of Otto, by name. Written by `npm run catalogue` from the files in tools/; not edited by hand. */
import type { Tool } from "../core/tool/tool.ts";
import knowledgeAddToKnowledge from "./knowledge/add-to-knowledge.ts";
import peopleAskHuman from "./people/ask-human.ts";
import filesAttachFile from "./files/attach-file.ts";
import busCallTool from "./bus/call-tool.ts";
import documentsConvertMarkdownToDocx from "./documents/convert-markdown-to-docx.ts";
import documentsConvertMarkdownToPptx from "./documents/convert-markdown-to-pptx.ts";
import filesCreateDirectory from "./files/create-directory.ts";
import documentsCreateDocx from "./documents/create-docx.ts";
import documentsCreatePdf from "./documents/create-pdf.ts";
import documentsCreatePptx from "./documents/create-pptx.ts";
import documentsCreateXlsx from "./documents/create-xlsx.ts";
import filesDeleteFile from "./files/delete-file.ts";
import agentsDispatchSubagent from "./agents/dispatch-subagent.ts";
import mathsEvaluateExpression from "./maths/evaluate-expression.ts";
import shellExecuteCommand from "./shell/execute-command.ts";
import filesExpandResult from "./files/expand-result.ts";
import filesFindFiles from "./files/find-files.ts";
import busFindTools from "./bus/find-tools.ts";
import agentsFinished from "./agents/finished.ts";
import fsRead from "./fs/read.ts";
import fsWrite from "./fs/write.ts";
import timeGetCurrentDatetime from "./time/get-current-datetime.ts";
import filesGrep from "./files/grep.ts";
import httpGet from "./http/get.ts";
import httpPost from "./http/post.ts";
import webHttpRequest from "./web/http-request.ts";
import jsonParse from "./json/parse.ts";
import filesListDirectory from "./files/list-directory.ts";
import skillsLoadSkill from "./skills/load-skill.ts";
import memoryMemorySave from "./memory/memory-save.ts";
import memoryMemorySearch from "./memory/memory-search.ts";
import databaseQueryDatabase from "./database/query-database.ts";
import documentsReadDocument from "./documents/read-document.ts";
import filesReadFile from "./files/read-file.ts";
import knowledgeReadSource from "./knowledge/read-source.ts";
import peopleRequestConnection from "./people/request-connection.ts";
import shellRunCommand from "./shell/run-command.ts";
import skillsRunSkillScript from "./skills/run-skill-script.ts";
import knowledgeSearchCodebase from "./knowledge/search-codebase.ts";
import knowledgeSearchFormulas from "./knowledge/search-formulas.ts";
import knowledgeSearchImages from "./knowledge/search-images.ts";
import filesSearchInFiles from "./files/search-in-files.ts";
import knowledgeSearchKnowledge from "./knowledge/search-knowledge.ts";
import knowledgeSearchMultimodal from "./knowledge/search-multimodal.ts";
import knowledgeSearchTables from "./knowledge/search-tables.ts";
import knowledgeSemanticSearch from "./knowledge/semantic-search.ts";
import mailSendEmail from "./mail/send-email.ts";
import peopleSetReminder from "./people/set-reminder.ts";
import slackNotify from "./slack/notify.ts";
import databaseSmartQueryDatabase from "./database/smart-query-database.ts";
import mathsSolveEquation from "./maths/solve-equation.ts";
import sshSshExecute from "./ssh/ssh-execute.ts";
import mathsStatisticsSummary from "./maths/statistics-summary.ts";
import testRun from "./test/run.ts";
import dataUnitConvert from "./data/unit-convert.ts";
import timeWait from "./time/wait.ts";
import webWebSearch from "./web/web-search.ts";
import filesWriteFile from "./files/write-file.ts";
import yamlParse from "./yaml/parse.ts";

export const catalogue: readonly Tool[] = [
  knowledgeAddToKnowledge,
  peopleAskHuman,
  filesAttachFile,
  busCallTool,
  documentsConvertMarkdownToDocx,
  documentsConvertMarkdownToPptx,
  filesCreateDirectory,
  documentsCreateDocx,
  documentsCreatePdf,
  documentsCreatePptx,
  documentsCreateXlsx,
  filesDeleteFile,
  agentsDispatchSubagent,
  mathsEvaluateExpression,
  shellExecuteCommand,
  filesExpandResult,
  filesFindFiles,
  busFindTools,
  agentsFinished,
  fsRead,
  fsWrite,
  timeGetCurrentDatetime,
  filesGrep,
  httpGet,
  httpPost,
  webHttpRequest,
  jsonParse,
  filesListDirectory,
  skillsLoadSkill,
  memoryMemorySave,
  memoryMemorySearch,
  databaseQueryDatabase,
  documentsReadDocument,
  filesReadFile,
  knowledgeReadSource,
  peopleRequestConnection,
  shellRunCommand,
  skillsRunSkillScript,
  knowledgeSearchCodebase,
  knowledgeSearchFormulas,
  knowledgeSearchImages,
  filesSearchInFiles,
  knowledgeSearchKnowledge,
  knowledgeSearchMultimodal,
  knowledgeSearchTables,
  knowledgeSemanticSearch,
  mailSendEmail,
  peopleSetReminder,
  slackNotify,
  databaseSmartQueryDatabase,
  mathsSolveEquation,
  sshSshExecute,
  mathsStatisticsSummary,
  testRun,
  dataUnitConvert,
  timeWait,
  webWebSearch,
  filesWriteFile,
  yamlParse,
];
