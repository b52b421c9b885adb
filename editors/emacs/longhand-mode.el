;;; longhand-mode.el --- Transformers written as on paper  -*- lexical-binding: t -*-

;; Version: 0.2.0
;; Package-Requires: ((emacs "26.1"))
;; Keywords: languages

;;; Commentary:

;; Colours, indents and comments for .lh files.  With eglot (part of Emacs 29), M-x eglot starts `longhand lsp'.

;;; Code:

(defvar longhand-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?_ "w" table)
    table))

(defconst longhand-font-lock-keywords
  (list
   (cons (concat "^\\s-*" (regexp-opt '("fn" "grad" "repeat" "each" "next" "end" "backward" "generate" "seed" "examples"
                                        "mistake" "vocab" "example" "text") 'words))
         'font-lock-keyword-face)
   (cons (concat "^\\s-*" (regexp-opt '("const" "param" "state" "input" "size") 'words)) 'font-lock-type-face)
   (cons (regexp-opt '("for" "with" "in" "params" "from" "starting" "until" "as") 'words) 'font-lock-keyword-face)
   '("\\<\\([[:alpha:]_][[:alnum:]_]*\\)(" 1 font-lock-function-name-face)
   '("\\<[0-9]+\\(\\.[0-9]*\\)?\\([eE][-+]?[0-9]+\\)?\\>" . font-lock-constant-face)))

(defun longhand-indent-line ()
  "Indent by the number of blocks around the line."
  (interactive)
  (let ((depth 0) (last (line-number-at-pos)))
    (save-excursion
      (goto-char (point-min))
      (while (< (line-number-at-pos) last)
        (when (looking-at "^\\s-*\\(fn\\|grad\\|repeat\\|each\\)\\>[^=]*$") (setq depth (1+ depth)))
        (when (looking-at "^\\s-*end\\>") (setq depth (max 0 (1- depth))))
        (forward-line))
      (when (looking-at "^\\s-*end\\>") (setq depth (max 0 (1- depth)))))
    (indent-line-to (* 2 depth))))

;;;###autoload
(define-derived-mode longhand-mode prog-mode "Longhand"
  "Major mode for programs in the notation of Longhand."
  (setq-local font-lock-defaults '(longhand-font-lock-keywords))
  (setq-local comment-start "# ")
  (setq-local comment-end "")
  (setq-local indent-line-function #'longhand-indent-line))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.lh\\'" . longhand-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(longhand-mode . ("longhand" "lsp"))))

(provide 'longhand-mode)
;;; longhand-mode.el ends here
