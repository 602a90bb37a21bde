/**
 * A well-known service that speaks chat completions: `default_provider = "<id>"` is enough to use
 * it.
 */
export interface Service {
  readonly id: string;
  readonly url: string;
  /** The variable its users keep their key in; undefined: it needs none. */
  readonly key: string | undefined;
  readonly docs: string;
}

const rows = `
ai21            https://api.ai21.com/studio/v1                         AI21_API_KEY                    https://docs.ai21.com
aimlapi         https://api.aimlapi.com/v1                             AIML_API_KEY                    https://docs.aimlapi.com
baseten         https://inference.baseten.co/v1                        BASETEN_API_KEY                 https://docs.baseten.co
cerebras        https://api.cerebras.ai/v1                             CEREBRAS_API_KEY                https://inference-docs.cerebras.ai
chutes          https://llm.chutes.ai/v1                               CHUTES_API_KEY                  https://chutes.ai/docs
cohere          https://api.cohere.ai/compatibility/v1                 COHERE_API_KEY                  https://docs.cohere.com/docs/compatibility-api
dashscope       https://dashscope-intl.aliyuncs.com/compatible-mode/v1 DASHSCOPE_API_KEY               https://www.alibabacloud.com/help/en/model-studio
deepinfra       https://api.deepinfra.com/v1/openai                    DEEPINFRA_API_KEY               https://deepinfra.com/docs
deepseek        https://api.deepseek.com/v1                            DEEPSEEK_API_KEY                https://api-docs.deepseek.com
featherless     https://api.featherless.ai/v1                          FEATHERLESS_API_KEY             https://featherless.ai/docs
fireworks       https://api.fireworks.ai/inference/v1                  FIREWORKS_API_KEY               https://docs.fireworks.ai
friendli        https://api.friendli.ai/serverless/v1                  FRIENDLI_TOKEN                  https://friendli.ai/docs
github-models   https://models.github.ai/inference                     GITHUB_TOKEN                    https://docs.github.com/en/github-models
groq            https://api.groq.com/openai/v1                         GROQ_API_KEY                    https://console.groq.com/docs
huggingface     https://router.huggingface.co/v1                       HF_TOKEN                        https://huggingface.co/docs/inference-providers
hunyuan         https://api.hunyuan.cloud.tencent.com/v1               HUNYUAN_API_KEY                 https://cloud.tencent.com/document/product/1729
hyperbolic      https://api.hyperbolic.xyz/v1                          HYPERBOLIC_API_KEY              https://docs.hyperbolic.xyz
inception       https://api.inceptionlabs.ai/v1                        INCEPTION_API_KEY               https://docs.inceptionlabs.ai
lmstudio        http://localhost:1234/v1                               -                               https://lmstudio.ai/docs
minimax         https://api.minimax.io/v1                              MINIMAX_API_KEY                 https://platform.minimax.io/docs
mistral         https://api.mistral.ai/v1                              MISTRAL_API_KEY                 https://docs.mistral.ai
moonshot        https://api.moonshot.ai/v1                             MOONSHOT_API_KEY                https://platform.moonshot.ai/docs
nano-gpt        https://nano-gpt.com/api/v1                            NANOGPT_API_KEY                 https://docs.nano-gpt.com
nebius          https://api.tokenfactory.nebius.com/v1                 NEBIUS_API_KEY                  https://docs.tokenfactory.nebius.com
novita          https://api.novita.ai/openai/v1                        NOVITA_API_KEY                  https://novita.ai/docs
nvidia          https://integrate.api.nvidia.com/v1                    NVIDIA_API_KEY                  https://docs.api.nvidia.com
ollama          http://localhost:11434/v1                              -                               https://docs.ollama.com
openai          https://api.openai.com/v1                              OPENAI_API_KEY                  https://platform.openai.com/docs
openrouter      https://openrouter.ai/api/v1                           OPENROUTER_API_KEY              https://openrouter.ai/docs
ovhcloud        https://oai.endpoints.kepler.ai.cloud.ovh.net/v1       OVH_AI_ENDPOINTS_ACCESS_TOKEN   https://help.ovhcloud.com
parasail        https://api.parasail.io/v1                             PARASAIL_API_KEY                https://docs.parasail.io
perplexity      https://api.perplexity.ai                              PERPLEXITY_API_KEY              https://docs.perplexity.ai
poe             https://api.poe.com/v1                                 POE_API_KEY                     https://creator.poe.com/docs
qianfan         https://qianfan.baidubce.com/v2                        QIANFAN_API_KEY                 https://cloud.baidu.com/doc/qianfan
requesty        https://router.requesty.ai/v1                          REQUESTY_API_KEY                https://docs.requesty.ai
sambanova       https://api.sambanova.ai/v1                            SAMBANOVA_API_KEY               https://docs.sambanova.ai
scaleway        https://api.scaleway.ai/v1                             SCW_SECRET_KEY                  https://www.scaleway.com/en/docs/generative-apis
siliconflow     https://api.siliconflow.com/v1                         SILICONFLOW_API_KEY             https://docs.siliconflow.com
stepfun         https://api.stepfun.com/v1                             STEPFUN_API_KEY                 https://platform.stepfun.com/docs
together        https://api.together.xyz/v1                            TOGETHER_API_KEY                https://docs.together.ai
upstage         https://api.upstage.ai/v1                              UPSTAGE_API_KEY                 https://console.upstage.ai/docs
venice          https://api.venice.ai/api/v1                           VENICE_API_KEY                  https://docs.venice.ai
vercel          https://ai-gateway.vercel.sh/v1                        AI_GATEWAY_API_KEY              https://vercel.com/docs/ai-gateway
volcengine      https://ark.cn-beijing.volces.com/api/v3               ARK_API_KEY                     https://www.volcengine.com/docs/82379
wandb           https://api.inference.wandb.ai/v1                      WANDB_API_KEY                   https://docs.wandb.ai/inference
xai             https://api.x.ai/v1                                    XAI_API_KEY                     https://docs.x.ai
zai             https://api.z.ai/api/paas/v4                           ZAI_API_KEY                     https://docs.z.ai
zhipu           https://open.bigmodel.cn/api/paas/v4                   ZHIPUAI_API_KEY                 https://docs.bigmodel.cn
`;

/** By id. */
export const services: ReadonlyMap<string, Service> = new Map(
  rows
    .trim()
    .split("\n")
    .map((row) => {
      const [id = "", url = "", key, docs = ""] = row.split(/ +/);
      return [id, Object.freeze({ id, url, key: key === "-" ? undefined : key, docs })];
    }),
);
