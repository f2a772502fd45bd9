import { describeMachine } from './azure-compute.pricing.js';
import { Decimal } from '../decimal.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/azure/{cognitive_*,machine_learning_*,powerbi_embedded}.go
// (Apache-2.0).

type Part = readonly [name: string, unit: string, usage: string, perUnit: number];

const LANGUAGE: readonly Part[] = [
  ['Text input', '1K tokens', 'monthly_language_input_tokens', 1000],
  ['Text output', '1K tokens', 'monthly_language_output_tokens', 1000],
];
const CACHED: Part = ['Cached text input', '1K tokens', 'monthly_language_cached_input_tokens', 1000];
const BASE: readonly Part[] = [['Base model tokens', '1K tokens', 'monthly_base_model_tokens', 1000]];
const FINE: readonly Part[] = [
  ['Fine tuning training', 'hours', 'monthly_fine_tuning_training_hours', 1],
  ['Fine tuning hosting', 'hours', 'monthly_fine_tuning_hosting_hours', 1],
  ['Fine tuning input', '1K tokens', 'monthly_fine_tuning_input_tokens', 1000],
  ['Fine tuning output', '1K tokens', 'monthly_fine_tuning_output_tokens', 1000],
];
const IMAGES: Record<string, readonly Part[]> = {
  'dall-e-2': [['Standard 1024x1024 images', '100 images', 'monthly_standard_1024_1024_images', 100]],
  'dall-e-3': [
    ['Standard 1024x1024 images', '100 images', 'monthly_standard_1024_1024_images', 100],
    ['Standard 1024x1792 images', '100 images', 'monthly_standard_1024_1792_images', 100],
    ['HD 1024x1024 images', '100 images', 'monthly_hd_1024_1024_images', 100],
    ['HD 1024x1792 images', '100 images', 'monthly_hd_1024_1792_images', 100],
  ],
};
const FINE_TUNED = ['babbage-002', 'davinci-002', 'gpt-35-turbo'];

function partsOf(model: string): readonly Part[] {
  if (model.startsWith('dall-e')) return IMAGES[model] ?? [];
  if (model.startsWith('text-embedding'))
    return [['Text embeddings', '1K tokens', 'monthly_text_embedding_tokens', 1000]];
  if (model === 'whisper') return [['Text to speech', 'hours', 'monthly_text_to_speech_hours', 1]];
  if (model.startsWith('tts'))
    return [['Text to speech', '1M characters', 'monthly_text_to_speech_characters', 1_000_000]];
  if (model === 'babbage-002' || model === 'davinci-002') return [...BASE, ...FINE];
  const cached = /gpt-4o|gpt-4\.|o1|o3|o4/.test(model) ? [CACHED] : [];
  return [
    ...LANGUAGE.slice(0, 1),
    ...cached,
    ...LANGUAGE.slice(1),
    ...(FINE_TUNED.includes(model) ? FINE : []),
  ];
}

function deployment(r: ResourceDraft): void {
  const block = r.attributes.block('model');
  const model = block.required('name').toLowerCase();
  const version = block.computed.text('version');
  const parts = partsOf(model);
  if (parts.length === 0) r.log.note('model.name');
  for (const [name, unit, usage, per] of parts)
    r.perUse(`${name} (${model})`, unit, r.usage(usage, per), {
      key: `cognitive_deployment/${name.toLowerCase().replaceAll(' ', '-')}/${model}${version === undefined ? '' : `/${version.toLowerCase()}`}`,
    });
  if (/^gpt-(35|4)/.test(model)) {
    const sessions = r.usage('monthly_code_interpreter_sessions');
    r.perUse('Code interpreter sessions', 'sessions', sessions, {
      key: 'cognitive_deployment/code-interpreter-sessions',
    });
  }
}

/** Which requests an account answers follows from its kind; what they cost from the tier of the sku. */
const ACCOUNT_PARTS: Record<string, readonly Part[]> = {
  luis: [
    ['Text requests', '1K transactions', 'monthly_luis_text_requests', 1000],
    ['Speech requests', '1K transactions', 'monthly_luis_speech_requests', 1000],
  ],
  speechservices: [
    ['Speech to text', 'hours', 'monthly_speech_to_text_standard_hrs', 1],
    ['Speech to text batch', 'hours', 'monthly_speech_to_text_batch_hrs', 1],
    ['Speech to text custom model', 'hours', 'monthly_speech_to_text_custom_hrs', 1],
    ['Text to speech', '1M characters', 'monthly_text_to_speech_neural_chars', 1_000_000],
    ['Speech translation', 'hours', 'monthly_speech_translation_hrs', 1],
    ['Speaker verification', '1K transactions', 'monthly_speaker_verification_transactions', 1000],
    ['Speaker identification', '1K transactions', 'monthly_speaker_identification_transactions', 1000],
  ],
  textanalytics: [
    ['Text analytics', '1K records', 'monthly_language_text_analytics_records', 1000],
    ['Summarization', '1K records', 'monthly_language_summarization_records', 1000],
    ['Customized summarization', '1K records', 'monthly_language_customized_summarization_records', 1000],
  ],
};

function account(r: ResourceDraft): void {
  const kind = r.attributes.required('kind').toLowerCase();
  const sku = r.attributes.required('sku_name').toUpperCase();
  // Deployments of these accounts are billed themselves; free tiers are free.
  if (sku === 'F0' || ['openai', 'aiservices', 'cognitiveservices'].includes(kind)) return;
  const parts = ACCOUNT_PARTS[kind];
  if (parts === undefined) r.log.note('kind');
  for (const [name, unit, usage, per] of parts ?? [
    ['Requests', '1K transactions', 'monthly_requests', 1000] as const,
  ])
    r.perUse(name, unit, r.usage(usage, per), {
      key: `cognitive_account/${kind}/${sku.toLowerCase()}/${name.toLowerCase().replaceAll(' ', '-')}`,
    });
}

function learning(size: string, countOf: (r: ResourceDraft) => Decimal): (r: ResourceDraft) => void {
  return (r) =>
    r.times(countOf(r), () => describeMachine(r, { size: r.attributes.required(size), system: 'linux' }));
}

const SEARCH_SKUS: Record<string, string> = {
  basic: 'Basic',
  standard: 'Standard S1',
  standard2: 'Standard S2',
  standard3: 'Standard S3',
  storage_optimized_l1: 'Storage Optimized L1',
  storage_optimized_l2: 'Storage Optimized L2',
};

export const azureAi: Rules = {
  azurerm_cognitive_account: account,
  azurerm_cognitive_deployment: deployment,
  azurerm_machine_learning_compute_instance: learning('virtual_machine_size', () => Decimal.ONE),
  azurerm_machine_learning_compute_cluster: learning(
    'vm_size',
    (r) =>
      r.usage('instances') ?? r.attributes.block('scale_settings').number('min_node_count') ?? Decimal.ONE,
  ),
  azurerm_powerbi_embedded: (r) => r.hours(`Node usage (${r.attributes.required('sku_name')})`),
  azurerm_search_service: (r) => {
    const sku = r.attributes.required('sku').toLowerCase();
    if (sku === 'free') return;
    const name = SEARCH_SKUS[sku] ?? sku;
    const partitions = r.attributes.computed.number('partition_count') ?? Decimal.ONE;
    const replicas = r.attributes.computed.number('replica_count') ?? Decimal.ONE;
    const units = partitions.times(replicas);
    r.hours(`Search usage (${name}, ${units.toString()} unit${units.compare(1) === 0 ? '' : 's'})`, {
      count: units,
      key: `search_service/usage/${sku}`,
    });
    r.perUse('Image extraction', '1000 images', r.usage('monthly_images_extracted', 1000));
  },
};
