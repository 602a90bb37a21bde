import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationSchema,
} from "@agentclientprotocol/sdk";
import { toolQuestionText, type Said, type ToolQuestion } from "@gantry/sdk";

/** Returns a tool's question as a form of the editor; one without a form has one field. */
export function formOf(question: ToolQuestion, sessionId: string): CreateElicitationRequest {
  const { properties = { text: { type: "string" } }, required = ["text"] } = question.form ?? {};
  const requestedSchema = { type: "object", properties, required } as ElicitationSchema;
  return { sessionId, mode: "form", message: toolQuestionText(question), requestedSchema };
}

/** Returns what a person has said by such a form. */
export function saidBy(question: ToolQuestion, answer: CreateElicitationResponse | undefined): Said {
  if (answer?.action === "decline") return { action: "decline" };
  if (answer?.action !== "accept") return { action: "cancel" };
  const content = (answer["content"] ?? {}) as Readonly<Record<string, unknown>>;
  return question.form ? content : String(content["text"] ?? "");
}
