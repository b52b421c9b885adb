/* md4c -- the part of md4c's interface that src/files/markdown.c uses, for the module of a page: Debian has the library for this machine
 * alone. What reads is web/md4c/md4c.c: the Markdown of lessons, no more.
 */
#ifndef LH_WEB_MD4C_H
#define LH_WEB_MD4C_H

typedef char MD_CHAR;
typedef unsigned MD_SIZE;

typedef enum MD_BLOCKTYPE {
    MD_BLOCK_DOC,
    MD_BLOCK_QUOTE,
    MD_BLOCK_UL,
    MD_BLOCK_OL,
    MD_BLOCK_LI,
    MD_BLOCK_HR,
    MD_BLOCK_H,
    MD_BLOCK_CODE,
    MD_BLOCK_HTML,
    MD_BLOCK_P,
    MD_BLOCK_TABLE,
    MD_BLOCK_THEAD,
    MD_BLOCK_TBODY,
    MD_BLOCK_TR,
    MD_BLOCK_TH,
    MD_BLOCK_TD
} MD_BLOCKTYPE;

typedef enum MD_SPANTYPE {
    MD_SPAN_EM,
    MD_SPAN_STRONG,
    MD_SPAN_A,
    MD_SPAN_IMG,
    MD_SPAN_CODE,
    MD_SPAN_LATEXMATH,
    MD_SPAN_LATEXMATH_DISPLAY
} MD_SPANTYPE;

typedef enum MD_TEXTTYPE {
    MD_TEXT_NORMAL,
    MD_TEXT_NULLCHAR,
    MD_TEXT_BR,
    MD_TEXT_SOFTBR,
    MD_TEXT_ENTITY,
    MD_TEXT_CODE,
    MD_TEXT_HTML,
    MD_TEXT_LATEXMATH
} MD_TEXTTYPE;

typedef enum MD_ALIGN { MD_ALIGN_DEFAULT, MD_ALIGN_LEFT, MD_ALIGN_CENTER, MD_ALIGN_RIGHT } MD_ALIGN;

typedef struct MD_ATTRIBUTE {
    const MD_CHAR *text;
    MD_SIZE size;
} MD_ATTRIBUTE;

typedef struct MD_BLOCK_UL_DETAIL {
    int is_tight;
} MD_BLOCK_UL_DETAIL;

typedef struct MD_BLOCK_OL_DETAIL {
    unsigned start;
    int is_tight;
} MD_BLOCK_OL_DETAIL;

typedef struct MD_BLOCK_H_DETAIL {
    unsigned level;
} MD_BLOCK_H_DETAIL;

typedef struct MD_BLOCK_CODE_DETAIL {
    MD_ATTRIBUTE info, lang;
} MD_BLOCK_CODE_DETAIL;

typedef struct MD_BLOCK_TD_DETAIL {
    MD_ALIGN align;
} MD_BLOCK_TD_DETAIL;

typedef struct MD_SPAN_A_DETAIL {
    MD_ATTRIBUTE href, title;
} MD_SPAN_A_DETAIL;

typedef struct MD_SPAN_IMG_DETAIL {
    MD_ATTRIBUTE src, title;
} MD_SPAN_IMG_DETAIL;

enum { MD_FLAG_COLLAPSEWHITESPACE = 1, MD_FLAG_TABLES = 2, MD_FLAG_LATEXMATHSPANS = 4 };

typedef struct MD_PARSER {
    unsigned abi_version, flags;
    int (*enter_block)(MD_BLOCKTYPE type, void *detail, void *who);
    int (*leave_block)(MD_BLOCKTYPE type, void *detail, void *who);
    int (*enter_span)(MD_SPANTYPE type, void *detail, void *who);
    int (*leave_span)(MD_SPANTYPE type, void *detail, void *who);
    int (*text)(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *who);
} MD_PARSER;

int md_parse(const MD_CHAR *text, MD_SIZE size, const MD_PARSER *parser, void *who);

#endif
