/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scripts that ask 'ftr help --complete' for bash, zsh and fish. */
#include <string.h>

#include "cmd/complete.h"

/*
 * bash splits words at the characters of COMP_WORDBREAKS, = and : among them; the line is split
 * again at blanks, and what stands before the last of these characters is taken off each answer.
 * It puts words into the line as they are, so they are quoted here: a task may be called "$(x)".
 * The others quote by themselves. What the user quoted is unquoted, and evaluated by none.
 */
static const char bash[] =
	"# Completion of ftr(1) for bash; made by 'ftr help --completion bash'.\n"
	"_ftr()\n"
	"{\n"
	"	local line=${COMP_LINE:0:COMP_POINT} words cur answer head\n"
	"	read -a words <<< \"$line\"\n"
	"	[[ $line != *[[:blank:]] ]] || words+=('')\n"
	"	cur=${words[-1]}\n"
	"	words=(\"${words[@]/#~\\//$HOME/}\")\n"
	"	answer=$(\"${words[0]}\" help --complete -- \"${words[@]:1}\" 2> /dev/null)\n"
	"	case $answer in\n"
	"	:files*)\n"
	"		compopt -o filenames\n"
	"		mapfile -t COMPREPLY < <(compgen -f -- \"${cur#--*=}\")\n"
	"		return\n"
	"		;;\n"
	"	:commands*)\n"
	"		mapfile -t COMPREPLY < <(compgen -c -- \"$cur\")\n"
	"		return\n"
	"		;;\n"
	"	esac\n"
	"	head=${cur%\"${cur##*[=:]}\"}\n"
	"	COMPREPLY=()\n"
	"	while IFS=$'\\t' read -r word _; do\n"
	"		word=${word#\"$head\"}\n"
	"		[[ $word != *[^[:alnum:]_.,:/@%+=-]* ]] || printf -v word %q \"$word\"\n"
	"		[[ -z $word ]] || COMPREPLY+=(\"$word\")\n"
	"	done <<< \"$answer\"\n"
	"	[[ ${COMPREPLY[0]} != */ ]] || compopt -o nospace\n"
	"}\n"
	"complete -F _ftr ftr\n";

static const char zsh[] =
	"#compdef ftr\n"
	"# Completion of ftr(1) for zsh; made by 'ftr help --completion zsh'.\n"
	"_ftr()\n"
	"{\n"
	"	local line\n"
	"	local -a answers names shown space\n"
	"	answers=(\"${(@f)$(\"$words[1]\" help --complete --"
	" \"${(@Q)words[2,CURRENT]/#\\~\\//$HOME/}\" 2> /dev/null)}\")\n"
	"	case $answers[1] in\n"
	"	:files) [[ $PREFIX != --*=* ]] || compset -P '--*='; _files; return ;;\n"
	"	:commands) _command_names -e || _files; return ;;\n"
	"	esac\n"
	"	for line in $answers; do\n"
	"		names+=(\"${line%%$'\\t'*}\")\n"
	"		shown+=(\"${line/$'\\t'/  -- }\")\n"
	"	done\n"
	"	[[ $names[1] != */ ]] || space=(-S '')\n"
	"	compadd -l -d shown \"${space[@]}\" -- $names\n"
	"}\n"
	"[[ $funcstack[1] != _ftr ]] || _ftr \"$@\"\n"
	"[[ $funcstack[1] = _ftr ]] || (( ! $+functions[compdef] )) || compdef _ftr ftr\n";

static const char fish[] =
	"# Completion of ftr(1) for fish; made by 'ftr help --completion fish'.\n"
	"function __ftr_complete\n"
	"	set -l words (commandline -opc | string replace -r '^~/' $HOME/)\n"
	"	set -l cur (commandline -ct)\n"
	"	set -l answers ($words[1] help --complete -- $words[2..-1] \"$cur\" 2> /dev/null)\n"
	"	switch \"$answers[1]\"\n"
	"		case :files\n"
	"			__fish_complete_path \"$cur\"\n"
	"		case :commands\n"
	"			__fish_complete_path \"$cur\"\n"
	"			complete -C \"$cur\"\n"
	"		case '*'\n"
	"			printf '%s\\n' $answers\n"
	"	end\n"
	"end\n"
	"complete -c ftr -f -a '(__ftr_complete)'\n";

const char *complete_script(const char *shell, struct ftr_error *err)
{
	static const struct {
		const char *name, *text;
	} scripts[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };
	size_t i;

	for (i = 0; i < sizeof(scripts) / sizeof(*scripts); i++)
		if (!strcmp(shell, scripts[i].name))
			return scripts[i].text;
	err_set(err, FTR_USAGE, "no completion for '%s'", shell);
	err_hint(err, "there are: bash, zsh, fish");
	return NULL;
}
