package schema

// SharedTypes declares what [CallToolResult] schemas are rendered as. It stands
// once in a description, before the first declaration that uses it. The shapes
// are those of the Model Context Protocol. Spec: codemode §12.
const SharedTypes = `type Role = "user" | "assistant";
type MetaObject = Record<string, unknown>;
type Annotations = { audience?: Role[]; priority?: number; lastModified?: string; };
type Common = { annotations?: Annotations; _meta?: MetaObject; };
type TextContent = Common & { type: "text"; text: string; };
type ImageContent = Common & { type: "image"; data: string; mimeType: string; };
type AudioContent = Common & { type: "audio"; data: string; mimeType: string; };
type ResourceLink = Common & { type: "resource_link"; uri: string; name: string; title?: string; description?: string; mimeType?: string; size?: number; };
type ResourceContents = { uri: string; mimeType?: string; text?: string; blob?: string; _meta?: MetaObject; };
type EmbeddedResource = Common & { type: "resource"; resource: ResourceContents; };
type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;
type CallToolResult<S = { [key: string]: unknown }> = { content: ContentBlock[]; structuredContent?: S; isError?: boolean; _meta?: MetaObject; };`
