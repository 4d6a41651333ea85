// Vercel AI SDK with its telemetry and its own mock model, which calls one tool.
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { generateText, stepCountIs, tool } from "ai";
import * as mocks from "ai/test";
import { z } from "zod";

const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ "service.name": "billing-bot" }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();

const MockModel = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3 ?? mocks.MockLanguageModelV2;
const tokens = { total: 1 };
const usage = { inputTokens: tokens, outputTokens: tokens };
const call = { type: "tool-call", toolCallId: "call_1", toolName: "crm_lookup", input: '{"account":"A-2056"}' };
const answers = [
  { finishReason: { unified: "tool-calls" }, usage, content: [call], warnings: [] },
  { finishReason: { unified: "stop" }, usage, content: [{ type: "text", text: "done" }], warnings: [] },
];

await generateText({
  model: new MockModel({ doGenerate: async () => answers.shift() }),
  prompt: "Look up the account",
  stopWhen: stepCountIs(2),
  tools: {
    crm_lookup: tool({
      description: "Look up an account.",
      inputSchema: z.object({ account: z.string() }),
      execute: async ({ account }) => ({ ok: false, message: `no account ${account}` }),
    }),
  },
  experimental_telemetry: {
    isEnabled: true,
    functionId: "billing-bot",
    metadata: { sessionId: "conversation-7" },
    tracer: provider.getTracer("ai"),
  },
});
await provider.shutdown();
